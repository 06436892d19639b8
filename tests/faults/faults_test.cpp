/// Every call about files that a command makes fails once, and the command is killed at every one:
/// what it writes is whole or absent, it says what happened, and the next one puts things right.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cli/documents.hpp"
#include "cli/folder.hpp"
#include "support/dice.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

/// One command with one call that fails.
struct Fault {
    std::string kind;
    int at = 1;
};

/// Runs berth with a fault. Returns the answer, and whether the call came at all.
std::pair<Answer, bool> berth_with(const Folder& folder,
                                   const Arguments& arguments,
                                   const Fault& fault) {
    const fs::path mark = folder.path().parent_path() / "mark";
    fs::remove(mark);
    Circumstances how;
    how.variables = {"LD_PRELOAD=" BERTH_FAILING_CALLS,
                     "BERTH_FAULT_BELOW=" + folder.path().string(),
                     "BERTH_FAULT_AT=" + std::to_string(fault.at),
                     "BERTH_FAULT=" + fault.kind,
                     "BERTH_FAULT_MARK=" + mark.string()};
    Answer answer = folder.berth(arguments, how);
    return {std::move(answer), fs::exists(mark)};
}

/// Whatever it says of the fault is one line that names a place, in words of its own.
void check_answer(const Answer& answer, const Fault& fault) {
    if (fault.kind == "power") {
        CHECK((answer.status == 137 || answer.status == 0));
        return;
    }
    INFO(answer.err);
    CHECK(answer.status <= 2);
    if (answer.status != 0) {
        CHECK_THAT(answer.err, Catch::Contains("error: "));
        CHECK(answer.err.find("error: error:") == std::string::npos);
        CHECK(answer.err.find("basic_") == std::string::npos);
        CHECK(answer.err.find("json.exception") == std::string::npos);
    }
    if (fault.kind == "enospc" && answer.status == 1) {
        CHECK_THAT(answer.err, Catch::Contains("No space left on device"));
    }
}

struct Task {
    Arguments arguments;
    std::vector<std::string> outputs;  ///< Files that it makes, or makes anew, whole or not at all.
    std::vector<std::string> parts;    ///< Files that hold what there is, and all once it is done.
};

std::string content(const Folder& folder, const std::string& name) {
    return fs::exists(folder.path() / name) ? folder.read(name) : "absent";
}

void copy_into(const Folder& folder, const Folder& from) {
    fs::copy(from.path(), folder.path(), fs::copy_options::recursive);
}

/// The folder in which the command has done its work, and what was there before.
struct Walk {
    Task task;
    Folder before;
    Folder after;
};

/// What a fault leaves behind is what was there before or what is there after.
void check_outputs(const Walk& walk, const Folder& folder, bool must_be_done) {
    for (const std::string& output : walk.task.outputs) {
        INFO(output);
        const std::string now = content(folder, output);
        const std::string whole = walk.after.read(output);
        const bool is_old = now == content(walk.before, output);
        CHECK((now == whole || (is_old && !must_be_done)));
    }
    for (const std::string& part : walk.task.parts) {
        CHECK((!must_be_done || content(folder, part) == walk.after.read(part)));
    }
}

/// Every call of a command fails in turn, in its own fresh folder; in short runs, of those kinds
/// that differ little from call to call every third does.
void walk(const std::string& kind, const Task& task, void (*prepare)(const Folder&)) {
    Walk walk{.task = task, .before = {}, .after = {}};
    prepare(walk.before);
    copy_into(walk.after, walk.before);
    (void)done(walk.after, task.arguments);
    const auto listing = walk.after.listing();
    const int step = kind == "eio" || cases(1) > 1 ? 1 : 3;
    int at = 1;
    for (bool came = true; came; at += step) {
        CAPTURE(kind, at);
        const Folder folder;
        copy_into(folder, walk.before);
        const Fault fault{kind, at};
        const auto [answer, has_come] = berth_with(folder, task.arguments, fault);
        came = has_come;
        check_answer(answer, fault);
        check_outputs(walk, folder, answer.status == 0);
        if (answer.status == 2) {
            CHECK(folder.listing() == walk.before.listing());
        }
        const Answer again = folder.berth(task.arguments);
        INFO(again.err);
        CHECK(again.status == 0);
        CHECK(folder.listing() == listing);
        check_outputs(walk, folder, true);
    }
    CHECK(at > 20);
}

void documents(const Folder& folder) {
    folder.write("e.yaml", sound_experiment);
    folder.write("s.yaml", sweep_of_two);
}

void old_run(const Folder& folder) {
    documents(folder);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o", "--seed", "7"});
    folder.write("o/notes.txt", "mine\n");
}

void sound_run(const Folder& folder) {
    documents(folder);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    fs::remove(folder.path() / "o/run.json");  // each run has another
}

const Task deep_run{
    {"run", "e.yaml", "-q", "-j1", "-o", "a/b/o"}, {"a/b/o/manifest.json", "a/b/o/pods.csv"}, {}};
const Task run{{"run", "e.yaml", "-q", "-j1", "-o", "o"},
               {"o/manifest.json", "o/pods.csv", "o/summary.json"},
               {}};
const Task run_sweep{{"sweep", "s.yaml", "-q", "-j1", "-o", "s"},
                     {"s/points.csv", "s/sweep.yaml"},
                     {"s/results.csv"}};
const Task report{{"report", "o"}, {"o/report.html"}, {}};
const Task plot{{"plot", "o", "-f", "wait-cdf", "-o", "x.csv"}, {"x.csv"}, {}};

}  // namespace

TEST_CASE("faults: a run in a new folder", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    walk(kind, run, &documents);
}

TEST_CASE("faults: a run in the place of another", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    walk(kind, run, &old_run);
}

TEST_CASE("faults: a run in folders that are not there yet", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc");
    walk(kind, deep_run, &documents);
}

TEST_CASE("faults: a file system that cannot exchange two names", "[faults]") {
    const Folder folder;
    old_run(folder);
    const auto [answer, came] = berth_with(folder, run.arguments, {"no-exchange", 1});
    CHECK(answer.status == 0);
    CHECK(folder.read("o/notes.txt") == "mine\n");
    CHECK(folder.listing().size() == 15);  // and nothing beside the run
    CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
}

TEST_CASE("faults: a sweep", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    walk(kind, run_sweep, &documents);
}

TEST_CASE("faults: a report", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    walk(kind, report, &sound_run);
}

TEST_CASE("faults: a table of a figure", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    walk(kind, plot, &sound_run);
}

TEST_CASE("faults: writes that write half", "[faults]") {
    const Folder folder;
    sound_run(folder);
    const std::string pods = folder.read("o/pods.csv");
    const auto [answer, came] = berth_with(folder, run.arguments, {"short", 1});
    CHECK(answer.status == 0);
    CHECK(folder.read("o/pods.csv") == pods);
    CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
}

TEST_CASE("faults: a run goes on with the threads that there are", "[faults]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 100\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-j1", "-o", "a"});
    for (const int threads : {1, 3}) {
        CAPTURE(threads);
        const auto [answer, came] =
            berth_with(folder, {"run", "e.yaml", "-q", "-j8", "-o", "b"}, {"threads", threads});
        INFO(answer.err);
        CHECK(answer.status == 0);
        CHECK(folder.read("a/manifest.json") == folder.read("b/manifest.json"));
    }
}

TEST_CASE("faults: without memory there is a line, and no crash", "[faults]") {
    constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
    for (const std::uint64_t limit : {100, 150, 200, 250, 400}) {
        CAPTURE(limit);
        const Folder folder;
        folder.write("e.yaml",
                     replaced(sound_experiment, "spec:\n", "spec:\n  replications: 100\n"));
        Circumstances how;
        how.memory_bytes_max = limit * mebibyte;
        const Answer answer = folder.berth({"run", "e.yaml", "-q", "-j64", "-o", "b"}, how);
        INFO(answer.err);
        CHECK(answer.status <= 1);
        CHECK((answer.status == 0 || answer.err.starts_with("berth: error: out of memory: ")));
        CHECK(folder.listing().size() == (answer.status == 0 ? 13U : 1U));
    }
}

TEST_CASE("faults: without room for open files there is a line, and nothing is left", "[faults]") {
    int went = 0;
    for (std::uint64_t limit = 4; limit <= 40; ++limit) {
        CAPTURE(limit);
        const Folder folder;
        documents(folder);
        const auto before = folder.listing();
        Circumstances how;
        how.open_files_max = limit;
        const Answer answer = folder.berth({"run", "e.yaml", "-q", "-j2", "-o", "o"}, how);
        INFO(answer.err);
        CHECK((answer.status == 0 || answer.status == 1 || answer.status == 2 ||
               answer.status == 127));  // the loader opens files too
        if (answer.status == 1 || answer.status == 2) {
            CHECK_THAT(answer.err, Catch::Contains("Too many open files"));
        }
        if (answer.status != 0) {
            CHECK(folder.listing() == before);
        }
        went += answer.status == 0 ? 1 : 0;
    }
    CHECK(went > 0);
    CHECK(went < 37);
}
