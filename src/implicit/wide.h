// Names of the wide kernels: sn__field_track_avx2 and so on.
#pragma once

#include "base/wide.h"
#include "implicit/kernels.h"

FieldTrack PASTE(field_track, scalar);
FieldTrack PASTE(field_track, v128);
FieldTrack PASTE(field_track, avx2);
FieldTrack PASTE(field_track, avx512);
FieldMeasure PASTE(field_measure, scalar);
FieldMeasure PASTE(field_measure, v128);
FieldMeasure PASTE(field_measure, avx2);
FieldMeasure PASTE(field_measure, avx512);
FieldProbe PASTE(field_probe, scalar);
FieldProbe PASTE(field_probe, v128);
FieldProbe PASTE(field_probe, avx2);
FieldProbe PASTE(field_probe, avx512);
