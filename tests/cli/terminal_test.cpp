// How a terminal shows names that come from files.

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;
using Catch::Contains;

namespace {

/// Runs berth in a folder with a terminal as standard output, and returns what the terminal
/// received.
std::string on_terminal(const Folder& folder, const Arguments& arguments) {
    std::vector<const char*> words{berth_program()};
    for (const std::string& argument : arguments) {
        words.push_back(argument.c_str());
    }
    words.push_back(nullptr);
    int terminal = -1;
    const pid_t process = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    REQUIRE(process >= 0);
    if (process == 0) {
        if (::chdir(folder.path().c_str()) == 0) {
            ::execv(berth_program(), const_cast<char* const*>(words.data()));
        }
        ::_exit(127);
    }
    std::string out;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(terminal, block.data(), block.size())) > 0;) {
        out.append(block.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    ::waitpid(process, &status, 0);
    ::close(terminal);
    CHECK(status == 0);
    return out;
}

}  // namespace

TEST_CASE("hostile: a terminal shows control characters of names and does not obey them",
          "[cli][hostile]") {
    const Folder folder;
    const std::string name = "a\x1b[31mb\xc3\xa9";
    folder.write("jobs.csv",
                 "name,submit,duration,cpu\n" + name + ",0,100,1\n" + name + "2,1,100,1\n");
    folder.write("e.yaml", R"(kind: Experiment
metadata: {name: shown}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 1}}}
  workload: [{trace: {format: csv, file: jobs.csv}}]
)");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "out"});
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "late", "--set", "spec.until=50s"});
    const std::string shown = "a\\x1b[31mb\xc3\xa9";  // valid UTF-8 is kept
    for (const Arguments& arguments : {Arguments{"why", "out", name + "2"},
                                       Arguments{"compare", "out", "late"},
                                       Arguments{"workload", "e.yaml", "--format", "csv"}}) {
        CAPTURE(arguments);
        const std::string text = on_terminal(folder, arguments);
        CHECK_THAT(text, Contains(shown));
        CHECK(text.find('\x1b') == std::string::npos);
        // A file contains the unchanged name.
        CHECK_THAT(done(folder, arguments), Contains(name));
    }
}
