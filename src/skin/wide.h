// Names of the wide kernels: sn__skin_blend_avx2 and so on.
#pragma once

#include "base/wide.h"
#include "skin/kernels.h"

SkinBlend PASTE(skin_blend, scalar);
SkinBlend PASTE(skin_blend, v128);
SkinBlend PASTE(skin_blend, avx2);
SkinBlend PASTE(skin_blend, avx512);
