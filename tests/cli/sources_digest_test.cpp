#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "folder.hpp"

using namespace berth::tests;

namespace {

void write_sources(const Folder& folder, const std::string& root) {
    folder.write(root + "/CMakeLists.txt", "project(it)\n");
    for (const char* name : {"core/a.cpp", "sim/deep/b.hpp", "topologies/c.def"}) {
        folder.write(root + "/" + name, name);
    }
}

/// The output of the build's script for the sources below `root`.
std::string digest_file(const Folder& folder, const std::string& root) {
    const std::string output = (folder.path() / (root + ".out")).string();
    const std::string command = "cmake -D ROOT=" + (folder.path() / root).string() +
                                " -D OUTPUT=" + output +
                                " -P " BERTH_SOURCE_DIR "/experiments/program/sources_digest.cmake";
    REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe)
    return folder.read(root + ".out");
}

}  // namespace

TEST_CASE("sources digest: it follows what sources hold and their names, not where they are",
          "[cli][sources]") {
    const Folder folder;
    write_sources(folder, "one");
    write_sources(folder, "two/deeper");
    const std::string before = digest_file(folder, "one");
    CHECK_THAT(before, Catch::Contains("return \""));
    CHECK(digest_file(folder, "two/deeper") == before);

    folder.write("one/core/README.md", "no source");
    folder.write("one/tests/d.cpp", "no part of the program");
    folder.write("one/experiments/program/report/node_modules/e.cpp", "not ours");
    CHECK(digest_file(folder, "one") == before);

    SECTION("another content") {
        folder.write("one/sim/deep/b.hpp", "other");
    }
    SECTION("another option of the compiler") {
        folder.write("one/CMakeLists.txt", "project(x)");
    }
    SECTION("a file more") {
        folder.write("one/workloads/f.cpp", "");
    }
    SECTION("another name") {
        std::filesystem::rename(folder.path() / "one/core/a.cpp", folder.path() / "one/core/z.cpp");
    }
    CHECK(digest_file(folder, "one") != before);
}

TEST_CASE("sources digest: a build without a change writes nothing", "[cli][sources]") {
    const Folder folder;
    write_sources(folder, "one");
    (void)digest_file(folder, "one");
    const auto output = folder.path() / "one.out";
    const auto long_ago = std::filesystem::last_write_time(output) - std::chrono::hours(1);
    std::filesystem::last_write_time(output, long_ago);
    (void)digest_file(folder, "one");
    CHECK(std::filesystem::last_write_time(output) == long_ago);
}
