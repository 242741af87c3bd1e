# The wide kernels, src/*/*_wide.c: one source, compiled once per instruction set with WIDE lanes
# and WIDE_NAME in its symbols. The rest of the core learns which exist by HAVE_….

include(CheckCSourceCompiles)
check_c_source_compiles("
#if !defined(__x86_64__)
#error another machine
#endif
int main(void) { return 0; }" SN_X86_64)

# GCC for Windows keeps vectors of 32 and 64 bytes on a stack that is aligned to 16 bytes (its bug
# 54412), and programs that use them crash.
if(MINGW)
    set(SN_KERNELS v128)
endif()

# sn_add_wide_kernels(CORE OUT_OBJECTS sources…)
function(sn_add_wide_kernels core out_objects)
    set(sources ${ARGN})
    set(objects)

    # For one instruction set: sn_add_wide_kernel(NAME LANES flags…)
    macro(sn_add_wide_kernel name lanes)
        add_library(sinew_wide_${name} OBJECT ${sources})
        sn_compile_inside(sinew_wide_${name})
        target_compile_definitions(sinew_wide_${name} PRIVATE
            WIDE=${lanes} WIDE_NAME=${name})
        target_compile_options(sinew_wide_${name} PRIVATE ${ARGN})
        if(SN_FUZZ) # kernels do not read files, and take minutes to compile with sanitizers
            target_compile_options(sinew_wide_${name} PRIVATE -fno-sanitize=all)
        endif()
        list(APPEND objects $<TARGET_OBJECTS:sinew_wide_${name}>)
    endmacro()

    if(sources)
        sn_add_wide_kernel(scalar 1 -fno-tree-vectorize -fno-tree-slp-vectorize)
    endif()
    if(sources AND SN_SIMD AND v128 IN_LIST SN_KERNELS)
        sn_add_wide_kernel(v128 4)
        target_compile_definitions(${core} PRIVATE HAVE_V128)
    endif()
    if(sources AND SN_SIMD AND SN_X86_64 AND avx2 IN_LIST SN_KERNELS)
        sn_add_wide_kernel(avx2 8 -mavx2)
        target_compile_definitions(${core} PRIVATE HAVE_AVX2)
    endif()
    if(sources AND SN_SIMD AND SN_X86_64 AND avx512 IN_LIST SN_KERNELS)
        sn_add_wide_kernel(avx512 16
            -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512)
        target_compile_definitions(${core} PRIVATE HAVE_AVX512)
    endif()
    set(${out_objects} ${objects} PARENT_SCOPE)
endfunction()
