# Static counterparts of the libraries that berth uses, so that one build makes both kinds of programs from the same
# objects. A target's property BERTH_STATIC lists the libraries that it links statically; if it is unset, all of them
# are shared.

set(BERTH_STATIC_KNOWN "")
set(BERTH_STATIC_MISSING "")

# berth_static_library(Boost::graph boost_graph boost_regex): the static libraries that replace Boost::graph.
function(berth_static_library third)
    set(files "")
    foreach(name IN LISTS ARGN)
        find_library(BERTH_STATIC_${name} lib${name}.a)
        mark_as_advanced(BERTH_STATIC_${name})
        list(APPEND files ${BERTH_STATIC_${name}})
        if(NOT BERTH_STATIC_${name})
            set(BERTH_STATIC_MISSING ${BERTH_STATIC_MISSING} lib${name}.a PARENT_SCOPE)
        endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "berth_static_${third}" counterpart)
    add_library(${counterpart} INTERFACE)
    # The headers are those of the shared library.
    target_include_directories(${counterpart} SYSTEM INTERFACE
        $<TARGET_PROPERTY:${third},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${counterpart} INTERFACE
        $<TARGET_PROPERTY:${third},INTERFACE_COMPILE_DEFINITIONS>)
    target_link_libraries(${counterpart} INTERFACE ${files})
    set(BERTH_STATIC_KNOWN ${BERTH_STATIC_KNOWN} ${third} PARENT_SCOPE)
endfunction()

# berth_either_kind(links Boost::graph Eigen3::Eigen): the given libraries, each static if a target asks for it.
function(berth_either_kind out)
    set(links "")
    foreach(third IN LISTS ARGN)
        if(third IN_LIST BERTH_STATIC_KNOWN)
            string(MAKE_C_IDENTIFIER "berth_static_${third}" counterpart)
            set(asked "$<IN_LIST:${third},$<TARGET_PROPERTY:BERTH_STATIC>>")
            list(APPEND links "$<IF:${asked},${counterpart},${third}>")
        else()
            list(APPEND links ${third})
        endif()
    endforeach()
    set(${out} ${links} PARENT_SCOPE)
endfunction()

berth_static_library(Boost::graph boost_graph boost_regex)
berth_static_library(Boost::iostreams boost_iostreams z bz2 lzma)
berth_static_library(Boost::program_options boost_program_options)
berth_static_library(Boost::random boost_random)
berth_static_library(MPFR::mpfr mpfr gmp)
berth_static_library(OpenSSL::Crypto crypto)
berth_static_library(SQLite::SQLite3 sqlite3)
berth_static_library(yaml-cpp yaml-cpp)
berth_static_library(zstd::libzstd_shared zstd)

add_library(berth_static_fmt STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
target_include_directories(berth_static_fmt SYSTEM PRIVATE
    $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
berth_static_library(fmt::fmt)
target_link_libraries(berth_static_fmt__fmt INTERFACE berth_static_fmt)
