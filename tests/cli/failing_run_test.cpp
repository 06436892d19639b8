#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Whether there is no file of a run, whole or temporary.
bool no_files(const Folder& folder) {
    for (const std::string& name : folder.listing()) {
        if (name != "sound.yaml" && !name.ends_with('/')) {
            return false;
        }
    }
    return true;
}

std::string with_replications(int count) {
    return replaced(
        sound_experiment, "spec:\n", "spec:\n  replications: " + std::to_string(count) + "\n");
}

}  // namespace

TEST_CASE("a full disk ends a run in one line and leaves no file", "[cli][failure]") {
    const std::uint64_t bytes = GENERATE(0U, 100U, 1'000U, 10'000U, 100'000U);
    const Folder folder;
    folder.write("sound.yaml", with_replications(100));
    const Answer answer = folder.berth({"run", "sound.yaml"}, {.file_bytes_max = bytes});
    CAPTURE(bytes);
    CHECK(answer.status == 1);
    CHECK(answer.out.empty());
    CHECK(no_files(folder));
}

TEST_CASE("a full disk is reported with the file's path and as what it is", "[cli][failure]") {
    const std::uint64_t bytes = GENERATE(1'000U, 10'000U);
    const Folder folder;
    folder.write("sound.yaml", with_replications(100));
    const Answer answer = folder.berth({"run", "sound.yaml"}, {.file_bytes_max = bytes});
    CHECK_THAT(answer.err,
               Catch::StartsWith("out/tiny/") && Catch::Contains(": error: ") &&
                   Catch::Contains("File too large") && Catch::Contains(": expected "));
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
    CHECK(folder.listing() == std::vector<std::string>{"sound.yaml"});
}

TEST_CASE("a full disk leaves the run that was there", "[cli][failure]") {
    const Folder folder;
    folder.write("sound.yaml", with_replications(100));
    REQUIRE(folder.berth({"run", "sound.yaml", "--quiet"}).status == 0);
    const auto before = folder.listing();
    const std::string summary = folder.read("out/tiny/summary.json");
    const Answer answer =
        folder.berth({"run", "sound.yaml", "--seed", "2"}, {.file_bytes_max = 10'000});
    CHECK(answer.status == 1);
    CHECK(folder.listing() == before);
    CHECK(folder.read("out/tiny/summary.json") == summary);
}

TEST_CASE("output that finds no room fails", "[cli][failure]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    const Arguments arguments = GENERATE(Arguments{"topology", "sound.yaml", "-o", "/dev/full"},
                                         Arguments{"workload", "sound.yaml", "-o", "/dev/full"},
                                         Arguments{"topology", "sound.yaml", "-o", "no/such/file"});
    const Answer answer = folder.berth(arguments);
    CHECK(answer.status == 1);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.first_line(),
               Catch::StartsWith(arguments.back() + ": ") && Catch::Contains(": expected "));
    CHECK(folder.listing() == std::vector<std::string>{"sound.yaml"});
}

TEST_CASE("a topology that finds no room on the disk fails in one line", "[cli][failure]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    const Answer answer = folder.berth({"topology", "sound.yaml", "--format", "json", "-o", "tree"},
                                       {.file_bytes_max = 100});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.err, Catch::StartsWith("tree: error: "));
    CHECK(folder.listing() == std::vector<std::string>{"sound.yaml"});
}

TEST_CASE("an interrupt ends a run cleanly", "[cli][failure]") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    [[maybe_unused]] const int again = GENERATE(range(0, 5));
    const Folder folder;
    folder.write("sound.yaml", with_replications(100'000));
    const auto interrupt = [&](int process) {
        // Without a pause: the signal comes as soon as there is something to remove.
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::filesystem::is_empty(folder.path() / "out") &&
               std::chrono::steady_clock::now() < give_up) {
        }
        ::kill(process, signal);
    };
    std::filesystem::create_directory(folder.path() / "out");
    const Answer answer =
        folder.berth({"run", "sound.yaml", "-o", "out/run"}, {.meanwhile = interrupt});
    CHECK(answer.status == 130);
    CHECK(answer.out.empty());
    CHECK(answer.err == "tiny: interrupted: nothing was written\n");
    CHECK(folder.listing() == std::vector<std::string>{"out/", "sound.yaml"});
}
