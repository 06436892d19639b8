#pragma once

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <string>

namespace berth::tests {

/// Calls check(std::istream&) with the lines of a file of answers that is too large for the project
/// and may stand beside it, and expects that it checks at least so many. Without the file, the test
/// warns.
template <typename Check>
void check_shared_vectors(const std::string& name, std::size_t least, Check check) {
    const std::filesystem::path file =
        std::filesystem::path(BERTH_SOURCE_DIR) / "../shared/vectors" / (name + ".jsonl.gz");
    if (!std::filesystem::exists(file)) {
        WARN("no " << name << ".jsonl.gz beside the project: the committed tests must do");
        return;
    }
    std::ifstream packed(file, std::ios::binary);
    boost::iostreams::filtering_istream in;
    in.push(boost::iostreams::gzip_decompressor());
    in.push(packed);
    CHECK(check(in) >= least);
}

}  // namespace berth::tests
