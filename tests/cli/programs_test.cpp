/// The programs that berth starts, and what it opens besides files: Node.js for a figure, Slurm's
/// commands for a sweep on Slurm, and nothing else (SECURITY.md).

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

/// The programs that a command starts and the sockets that it opens, one per line.
std::string calls_of(const Folder& folder,
                     const Arguments& arguments,
                     const std::string& input = "") {
    const fs::path calls = folder.path().parent_path() / "calls";
    fs::remove(calls);
    Circumstances how;
    how.input = input;
    how.variables = {"LD_PRELOAD=" BERTH_PROGRAM_CALLS, "BERTH_CALLS=" + calls.string()};
    INFO(arguments[0]);
    (void)done(folder, arguments, how);
    return fs::exists(calls) ? read_file(calls) : "";
}

}  // namespace

TEST_CASE("programs: no command starts a program or opens a socket", "[cli][security]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
    folder.write("t.yaml", sound_topology);
    folder.write("n.yaml", sound_tree);
    folder.write("jobs.csv", "name,submit,run_time,cpu\na,0,10,1\nb,5,10,1\n");
    const std::vector<Arguments> commands{
        {"--version"},
        {"--help"},
        {"list"},
        {"validate", "e.yaml"},
        {"validate", "s.yaml"},
        {"run", "e.yaml", "-q", "-j", "2", "-o", "o"},
        {"run", "e.yaml", "-q", "-o", "p", "--tables", "arrow"},
        {"sweep", "s.yaml", "-q", "-j", "2", "-o", "s"},
        {"verify", "o"},
        {"verify", "s"},
        {"report", "o", "p"},
        {"report", "s"},
        {"compare", "o", "p"},
        {"plot", "o", "-f", "wait-cdf", "-o", "x.csv"},
        {"export", "o", "--batsim", "-o", "x"},
        {"topology", "t.yaml"},
        {"workload", "jobs.csv", "--from", "csv"},
        {"workload", "e.yaml", "--stats"},
        {"validate", "jobs.csv"},
    };
    for (const Arguments& command : commands) {
        CHECK(calls_of(folder, command).empty());
    }
    for (const char* verb : {"place", "allocate", "candidates", "quota", "kube", "kueue"}) {
        CHECK(calls_of(folder, {verb, "--jsonl"}).empty());
    }
}

TEST_CASE("programs: node is started for a figure", "[cli][security]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    const std::string calls = calls_of(folder, {"plot", "o", "-f", "wait-cdf", "-o", "x.svg"});
    INFO(calls);
    CHECK_THAT(calls, Catch::Contains("node"));
    CHECK(calls.find("socket") == std::string::npos);
    CHECK(calls.find("system") == std::string::npos);
    CHECK(calls.find("popen") == std::string::npos);
}
