# Library, headers, CMake package and pkg-config file; and the program where there is one.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

install(TARGETS sinew sinew_io EXPORT sinew_targets)
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT sinew_targets
    FILE sinewTargets.cmake NAMESPACE sinew:: DESTINATION ${package_dir})

configure_package_config_file(cmake/sinewConfig.cmake.in sinewConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/sinewConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/sinewConfigVersion.cmake
    DESTINATION ${package_dir})

# Paths in the .pc file are relative to it, so that an installed tree can be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix /${pc_dir} /)
set(pc_needs -lm)
if(SN_THREADS)
    list(APPEND pc_needs ${CMAKE_THREAD_LIBS_INIT})
endif()
# Whoever links the static libraries links what they need, too.
if(BUILD_SHARED_LIBS)
    set(pc_libs -lsinew)
    set(pc_libs_private ${pc_needs})
else()
    set(pc_libs -lsinew ${pc_needs})
    set(pc_libs_private)
    if(io_objects)
        list(PREPEND pc_libs -lsinew_io)
    endif()
endif()
list(JOIN pc_libs " " pc_libs)
list(JOIN pc_libs_private " " pc_libs_private)
configure_file(cmake/sinew.pc.in sinew.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinew.pc DESTINATION ${pc_dir})

if(TARGET sinew_program)
    install(TARGETS sinew_program)
    install(FILES ${PROJECT_BINARY_DIR}/sinew.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES tools/completion.bash RENAME sinew
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
