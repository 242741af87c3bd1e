// Names of wide kernels, which are compiled once per instruction set: sn__rod_sweep_avx2 and so on.
#pragma once

#define PASTE_(a, b) sn__##a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define WIDE_FUNCTION(name) PASTE(name, WIDE_NAME)
