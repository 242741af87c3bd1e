# How our own code is compiled. Nothing here reaches the users of the library.

# Every instruction set must give the same bits: no fused multiply-add unless it is written.
set(SN_ARITHMETIC -ffp-contract=off -fno-math-errno)
# GCC 12 for AArch64 stops with an internal error where it makes vectors of loops that look for a
# largest number (vect_transform_reduction; model_tree_wood.c, rigid/kind.c). Kernels write theirs.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13 AND
        CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    list(APPEND SN_ARITHMETIC -fno-tree-loop-vectorize)
endif()

set(SN_WARNINGS
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wmissing-prototypes
    -Wstrict-prototypes)
if(SN_WERROR)
    list(APPEND SN_WARNINGS -Werror)
endif()

# MinGW's own printf knows neither %zu nor %lld, and its isnan and isfinite are macros that warn.
if(MINGW)
    add_compile_definitions(__USE_MINGW_ANSI_STDIO=1)
    list(APPEND SN_WARNINGS -Wno-float-conversion)
endif()

# For targets that see the private headers as "base/…", "rod/…", "view/…".
function(sn_compile_inside target)
    sn_compile_outside(${target})
    target_include_directories(${target} PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${target} PRIVATE SN_BUILDING)
    if(NOT SN_THREADS)
        target_compile_definitions(${target} PRIVATE SN_NO_THREADS)
    endif()
endfunction()

# For targets that use the public headers only, as a user would.
function(sn_compile_outside target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
    if(BUILD_SHARED_LIBS)
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_compile_options(${target} PRIVATE ${SN_ARITHMETIC} ${SN_WARNINGS})
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        target_compile_options(${target} PRIVATE -O2)
    endif()
endfunction()
