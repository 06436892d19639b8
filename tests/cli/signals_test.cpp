/// What berth does when a signal comes, and when the other end of a pipe waits or has ended.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> nothing_but_the_run{"e.yaml", "o/"};

/// The files and folders at the top of a folder.
std::vector<std::string> at_the_top(const Folder& folder) {
    std::vector<std::string> names;
    for (const std::string& name : folder.listing()) {
        if (name.find('/') == std::string::npos || name.find('/') + 1 == name.size()) {
            names.push_back(name);
        }
    }
    return names;
}

/// A pipe that is open for writing only: its reader has ended.
class UnreadPipe {
public:
    UnreadPipe() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        ::close(ends[0]);
        write_end_ = ends[1];
    }
    UnreadPipe(const UnreadPipe&) = delete;
    UnreadPipe& operator=(const UnreadPipe&) = delete;
    ~UnreadPipe() { ::close(write_end_); }
    [[nodiscard]] int write_end() const { return write_end_; }

private:
    int write_end_ = -1;
};

}  // namespace

TEST_CASE("signals: what was ignored when berth began stays ignored, as under nohup",
          "[cli][signals]") {
    const int signal = GENERATE(SIGHUP, SIGINT, SIGTERM);
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 1000\n"));
    Circumstances how;
    how.ignored_signals = {signal};
    how.meanwhile = [&](int process) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (at_the_top(folder).size() == 1 && std::chrono::steady_clock::now() < give_up) {
        }
        ::kill(process, signal);
    };
    const Answer answer = folder.berth({"run", "e.yaml", "-q", "-o", "o"}, how);
    INFO(answer.err);
    CHECK(answer.status == 0);
    CHECK(at_the_top(folder) == nothing_but_the_run);
}

TEST_CASE("signals: of a file that is not whole nothing is left", "[cli][signals]") {
    const int signal = GENERATE(SIGHUP, SIGINT, SIGTERM);
    const Folder folder;
    Circumstances how;
    constexpr int jobs = 200'000;
    for (int job = 0; job < jobs; ++job) {
        how.input += "{\"submit\": 0, \"run_time\": 1, \"cpu\": 1}\n";
    }
    how.meanwhile = [&](int process) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (at_the_top(folder).empty() && std::chrono::steady_clock::now() < give_up) {
        }
        CHECK_THAT(at_the_top(folder).at(0), Catch::StartsWith("o.csv.tmp-"));
        ::kill(process, signal);
    };
    const Answer answer =
        folder.berth({"workload", "-", "--from", "jsonl", "--to", "csv", "-o", "o.csv"}, how);
    INFO(answer.err);
    CHECK(answer.status == 128 + signal);
    if (!at_the_top(folder).empty()) {  // the signal came when the file was whole
        CHECK(at_the_top(folder) == std::vector<std::string>{"o.csv"});
        CHECK(std::ranges::count(folder.read("o.csv"), '\n') == jobs + 1);
    }
}

TEST_CASE("signals: a run is complete although the reader of its messages has ended",
          "[cli][signals]") {
    const UnreadPipe pipe;
    const Folder folder;
    // a group that can never start: a warning during the run
    folder.write("e.yaml", replaced(sound_experiment, "size: 4,", "size: 40,"));
    Circumstances how;
    how.output = pipe.write_end();
    const int expected = 128 + SIGPIPE;
    CHECK(folder.berth({"run", "e.yaml", "-o", "o"}, how).status == expected);
    CHECK(at_the_top(folder) == nothing_but_the_run);
    CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
    SECTION("and verify leaves nothing in the folder for temporary files") {
        fs::create_directory(folder.path() / "tmp");
        how.variables = {"TMPDIR=" + (folder.path() / "tmp").string()};
        CHECK(folder.berth({"verify", "o"}, how).status == expected);
        CHECK(fs::is_empty(folder.path() / "tmp"));
    }
    SECTION("and a broken pipe is an error if SIGPIPE was ignored") {
        how.ignored_signals = {SIGPIPE};
        CHECK(folder.berth({"list"}, how).status == 1);
    }
}

TEST_CASE("pipes: a request is answered before the next one comes", "[cli][signals]") {
    const std::string verb = GENERATE("allocate", "candidates", "kube", "kueue", "place", "quota");
    const Folder folder;
    const fs::path requests = folder.path() / "requests";
    REQUIRE(::mkfifo(requests.c_str(), 0600) == 0);
    std::array<int, 2> answers{};
    REQUIRE(::pipe(answers.data()) == 0);
    Circumstances how;
    how.input_path = requests;
    how.output = answers[1];
    how.meanwhile = [&](int /*process*/) {
        const int to = ::open(requests.c_str(), O_WRONLY);
        for (int request = 0; request < 3; ++request) {
            REQUIRE(::write(to, "{}\n", 3) == 3);
            pollfd from{.fd = answers[0], .events = POLLIN, .revents = 0};
            REQUIRE(::poll(&from, 1, 20'000) == 1);
            std::array<char, 4096> answer{};
            const ssize_t size = ::read(answers[0], answer.data(), answer.size());
            REQUIRE(size > 0);
            CHECK(answer[static_cast<std::size_t>(size) - 1] == '\n');
        }
        ::close(to);
    };
    CHECK(folder.berth({verb, "--jsonl"}, how).status == 0);
    ::close(answers[0]);
    ::close(answers[1]);
}
