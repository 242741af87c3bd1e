# The sinew program, its renderer and its benchmarks: what needs libraries beyond libm.

file(GLOB view_sources CONFIGURE_DEPENDS view/*.c)
if(view_sources)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(SN_VIEW REQUIRED IMPORTED_TARGET libpng epoxy egl)
    add_library(sinew_view STATIC ${view_sources})
    sn_compile_inside(sinew_view)
    target_link_libraries(sinew_view PUBLIC sinew::inside PkgConfig::SN_VIEW PRIVATE m)
endif()

file(GLOB app_sources CONFIGURE_DEPENDS app/*.c)
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
if(app_sources)
    find_package(Threads REQUIRED)
    add_executable(sinew_program ${app_sources} ${bench_sources})
    sn_compile_inside(sinew_program)
    set_target_properties(sinew_program PROPERTIES
        OUTPUT_NAME sinew RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    find_package(PkgConfig REQUIRED)
    target_link_libraries(sinew_program PRIVATE
        sinew::inside Threads::Threads m)
    # Debian's libmeshoptimizer-dev compresses GLB files for --meshopt; the program does without it.
    find_library(SN_MESHOPT_LIBRARY meshoptimizer)
    find_path(SN_MESHOPT_INCLUDE meshoptimizer.h)
    if(SN_MESHOPT_LIBRARY AND SN_MESHOPT_INCLUDE)
        target_compile_definitions(sinew_program PRIVATE HAVE_MESHOPT)
        target_include_directories(sinew_program SYSTEM PRIVATE ${SN_MESHOPT_INCLUDE})
        target_link_libraries(sinew_program PRIVATE ${SN_MESHOPT_LIBRARY})
    endif()
    # The manual page is what --help says.
    add_custom_command(TARGET sinew_program POST_BUILD COMMAND
        ${PROJECT_SOURCE_DIR}/tools/man $<TARGET_FILE:sinew_program> > ${PROJECT_BINARY_DIR}/sinew.1)
    if(TARGET sinew_view)
        pkg_check_modules(SN_WINDOW REQUIRED IMPORTED_TARGET glfw3)
        target_link_libraries(sinew_program PRIVATE sinew_view PkgConfig::SN_WINDOW)
    endif()
endif()
