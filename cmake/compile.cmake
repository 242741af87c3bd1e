# How our own code is compiled. Nothing here reaches the users of the library.

# Every instruction set must give the same bits: no fused multiply-add unless it is written.
set(SN_ARITHMETIC -ffp-contract=off -fno-math-errno)

set(SN_WARNINGS
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wmissing-prototypes
    -Wstrict-prototypes)
if(SN_WERROR)
    list(APPEND SN_WARNINGS -Werror)
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
