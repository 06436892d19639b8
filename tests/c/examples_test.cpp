/// The examples of the documentation, compiled as C99: what they print is compared.

#include <berth.h>

#include <array>
#include <cstdio>
#include <string>

#include <catch2/catch.hpp>

#include "c/calls.hpp"
#include "cli/folder.hpp"

using namespace berth::tests;

namespace {

/// What an example prints on standard output and standard error.
std::string printed(const std::string& example, const std::string& arguments) {
    const std::string line = BERTH_EXAMPLES + example + " " + arguments + " 2>&1";
    FILE* const out = ::popen(line.c_str(), "r");
    REQUIRE(out != nullptr);
    std::string text;
    std::array<char, 4096> part{};
    for (std::size_t read = 0; (read = std::fread(part.data(), 1, part.size(), out)) > 0;) {
        text.append(part.data(), read);
    }
    CHECK(::pclose(out) == (text.find("error") == std::string::npos ? 0 : 256));
    return text;
}

}  // namespace

TEST_CASE("examples: first come, first served in C", "[c]") {
    const Folder folder;
    folder.write("e.yaml", queue_of_the_caller);
    const Handle handle = opened(queue_of_the_caller);
    run_first_fit(handle);
    const char* digest = nullptr;
    REQUIRE(berth_digest(handle.get(), &digest) == BERTH_OK);
    const std::string file = (folder.path() / "e.yaml").string();
    const std::string run = (folder.path() / "run").string();
    const std::string out = printed("first_fit", file + " " + run);
    CHECK(out.starts_with("job_wait_s_mean "));
    CHECK(out.ends_with("\nfiles " + std::string(digest) + "\n"));
    CHECK(folder.read("run/jobs.csv") == file_of(handle, "jobs.csv"));
    CHECK(printed("first_fit", "nowhere.yaml").find("nowhere.yaml: error: ") != std::string::npos);
}

TEST_CASE("examples: berth's EASY asked by a simulator in C", "[c]") {
    CHECK(printed("ask_easy", "") ==
          "at 0 s job 0 starts\n"
          "at 20 s job 2 starts\n"
          "at 60 s job 1 starts\n"
          "at 90 s job 3 starts\n");
}
