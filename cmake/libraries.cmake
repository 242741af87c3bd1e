# The libraries made of the objects of the core and of io:
#   sinew::sinew    the core
#   sinew::io       the core and io
#   sinew::inside   the same with private functions in reach, for our own program and tests
#
# Static, they are two archives, libsinew.a and libsinew_io.a. Shared, they are one library: io uses
# private functions of the core, and those are hidden; our own program then takes a static twin.

# The include path and the libraries that come with the core's objects.
function(sn_use_core_objects target)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE m)
    if(SN_THREADS)
        target_link_libraries(${target} PRIVATE Threads::Threads)
    endif()
endfunction()

if(BUILD_SHARED_LIBS)
    add_library(sinew SHARED ${core_objects} ${io_objects})
    set_target_properties(sinew PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${SN_VERSION_MAJOR}.${SN_VERSION_MINOR})
    add_library(sinew_inside STATIC ${core_objects} ${io_objects})
    sn_use_core_objects(sinew_inside)
    add_library(sinew_io INTERFACE)
    target_link_libraries(sinew_io INTERFACE sinew)
    add_library(sinew::inside ALIAS sinew_inside)
else()
    add_library(sinew STATIC ${core_objects})
    if(io_objects)
        add_library(sinew_io STATIC ${io_objects})
        set_target_properties(sinew_io PROPERTIES LINKER_LANGUAGE C)
        target_link_libraries(sinew_io PUBLIC sinew PRIVATE m)
    else()
        add_library(sinew_io INTERFACE)
        target_link_libraries(sinew_io INTERFACE sinew)
    endif()
    add_library(sinew::inside ALIAS sinew_io)
endif()
sn_use_core_objects(sinew)
set_target_properties(sinew_io PROPERTIES EXPORT_NAME io)
add_library(sinew::sinew ALIAS sinew)
add_library(sinew::io ALIAS sinew_io)
