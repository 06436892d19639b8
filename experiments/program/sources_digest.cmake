# Writes a C++ file with the digest of all sources that can affect results:
#   cmake -D ROOT=<the project's folder> -D OUTPUT=<file.cpp> -P sources_digest.cmake
# The digest depends only on the names and the contents of the files below ROOT: any compiler, machine and checkout
# gives the same digest. The build runs this each time, but the file is only written if the digest has changed, to avoid
# needless compilation.
cmake_policy(VERSION 3.25)

set(files "")
foreach(folder core topologies sim schedulers workloads experiments)
    file(GLOB_RECURSE found RELATIVE ${ROOT}
        ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.def)
    list(APPEND files ${found})
endforeach()
list(FILTER files EXCLUDE REGEX "/node_modules/")
list(APPEND files CMakeLists.txt)  # It has the options that decide how sums are rounded.
list(SORT files)

set(text "")
foreach(name IN LISTS files)
    file(SHA256 ${ROOT}/${name} digest)
    string(APPEND text "${name} ${digest}\n")
endforeach()
string(SHA256 digest "${text}")
string(SUBSTRING ${digest} 0 16 digest)

set(source "#include \"experiments/version.hpp\"

namespace berth::experiments {

const char* sources_digest() {
    return \"${digest}\";
}

}  // namespace berth::experiments
")
set(before "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL source)
    file(WRITE ${OUTPUT} "${source}")
endif()
