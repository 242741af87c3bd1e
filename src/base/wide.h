// Names of wide kernels, which are compiled once per instruction set: sn__rod_sweep_avx2 and so on.
#pragma once

#define SN_PASTE_(a, b) sn__##a##_##b
#define SN_PASTE(a, b) SN_PASTE_(a, b)
#define SN_WIDE_FUNCTION(name) SN_PASTE(name, SN_WIDE_NAME)
