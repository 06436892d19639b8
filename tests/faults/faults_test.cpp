/// Makes every file call of a command fail once, and kills the command at every call: its output is
/// whole or absent, it says what happened, and the next command puts things right.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cli/documents.hpp"
#include "cli/folder.hpp"
#include "experiments/program/run/in_order.hpp"
#include "support/dice.hpp"

using namespace berth::tests;

namespace {

namespace fs = std::filesystem;

/// The fault of one call of a command.
struct Fault {
    std::string kind;
    int at = 1;
    std::string unsynced = {};  ///< Paths that existed before, each followed by a colon.
    bool no_exchange = false;   ///< Whether the file system cannot exchange two names.

    [[nodiscard]] bool is_power_cut() const { return kind.starts_with("power"); }
};

/// Runs berth with a fault. Returns the answer, and whether the call occurred at all.
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
                     "BERTH_FAULT_UNSYNCED=" + fault.unsynced,
                     fault.no_exchange ? "BERTH_FAULT_NO_EXCHANGE=yes" : "BERTH_FAULT_NO_EXCHANGE=",
                     "BERTH_FAULT_MARK=" + mark.string()};
    Answer answer = folder.berth(arguments, how);
    return {std::move(answer), fs::exists(mark)};
}

/// Whatever berth says about the fault is one line that names a place, in berth's own words.
void check_answer(const Answer& answer, const Fault& fault) {
    if (fault.is_power_cut()) {
        CHECK((answer.status == 137 || answer.status == 0));
        return;
    }
    INFO(answer.err);
    CHECK(answer.status <= 2);
    if (answer.status != 0) {
        CHECK_THAT(answer.err, Catch::Contains("error: "));
        CHECK(answer.err.find("error: error:") == std::string::npos);
        CHECK(answer.err.find("basic_") == std::string::npos);
        // Users do not know folders and files that exist only for a moment.
        CHECK(answer.err.find(".tmp-") == std::string::npos);
        CHECK(answer.err.find(".before-") == std::string::npos);
        CHECK(answer.err.find("json.exception") == std::string::npos);
    }
    if (fault.kind == "enospc" && answer.status == 1) {
        CHECK_THAT(answer.err, Catch::Contains("No space left on device"));
    }
}

struct Task {
    Arguments arguments;
    /// Files that the command creates or replaces, each as a whole or not at all.
    std::vector<std::string> outputs;
    /// Files that hold all results so far, and all results once the command is done.
    std::vector<std::string> parts;
    /// In short runs, only every nth call fails; in long runs, ten times as many calls do. 0: the
    /// kind of fault decides.
    int step = 0;
};

std::string content(const Folder& folder, const std::string& name) {
    return fs::exists(folder.path() / name) ? folder.read(name) : "absent";
}

void copy_into(const Folder& folder, const Folder& from) {
    fs::copy(from.path(), folder.path(), fs::copy_options::recursive);
}

/// A task, the folder before the command, and the folder after it.
struct Walk {
    Task task;
    Folder before;
    Folder after;
    /// Whether, for a moment, neither the old nor the new content may be there.
    bool may_be_between = false;
};

/// The complete result of the command is there, byte by byte, except what each run measures about
/// itself.
void check_is_all_done(const Walk& walk, const Folder& folder) {
    for (const std::string& name : walk.after.listing()) {
        INFO(name);
        CHECK((name.ends_with('/') || name.ends_with("run.json") ||
               content(folder, name) == walk.after.read(name)));
    }
}

/// After a fault, each output is either the old or the new one.
void check_outputs(const Walk& walk, const Folder& folder, bool must_be_done) {
    for (const std::string& output : walk.task.outputs) {
        INFO(output);
        const std::string now = content(folder, output);
        const std::string whole = walk.after.read(output);
        const bool is_old = now == content(walk.before, output);
        const bool is_between = walk.may_be_between && now == "absent";
        CHECK((now == whole || ((is_old || is_between) && !must_be_done)));
    }
    for (const std::string& part : walk.task.parts) {
        CHECK((!must_be_done || content(folder, part) == walk.after.read(part)));
    }
}

/// The number of the first call to fail. In short runs, only every third call fails for kinds that
/// differ little from call to call; the kinds of power cut begin with different calls.
int first_call(const std::string& kind) {
    return kind == "power-all" ? 2 : kind == "power-some" ? 3 : 1;
}

/// Lets each call of a command fail in turn, every time in a fresh folder.
void walk(const Fault& kind, const Task& task, void (*prepare)(const Folder&)) {
    Walk walk{.task = task, .before = {}, .after = {}};
    walk.may_be_between = kind.no_exchange;
    prepare(walk.before);
    copy_into(walk.after, walk.before);
    (void)done(walk.after, task.arguments);
    const bool each = kind.kind == "eio" && task.step == 0;
    const int in_short_runs = each ? 1 : std::max(task.step, 3);
    const int step = std::max(1, in_short_runs / static_cast<int>(cases(1)));
    Fault fault = kind;
    fault.at = step == 1 ? 1 : first_call(kind.kind);
    for (bool came = true; came; fault.at += step) {
        CAPTURE(fault.kind, fault.at);
        const Folder folder;
        copy_into(folder, walk.before);
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
        CHECK(folder.listing() == walk.after.listing());
        check_is_all_done(walk, folder);
    }
    CHECK(fault.at > 20);
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
    fs::remove(folder.path() / "o/run.json");  // differs from run to run
}

void arrow_run(const Folder& folder) {
    documents(folder);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o", "--tables", "arrow"});
    fs::remove(folder.path() / "o/run.json");
}

const Task deep_run{
    {"run", "e.yaml", "-q", "-j1", "-o", "a/b/o"}, {"a/b/o/manifest.json", "a/b/o/pods.csv"}, {}};
const Task run{{"run", "e.yaml", "-q", "-j1", "-o", "o"},
               {"o/manifest.json", "o/pods.csv", "o/summary.json"},
               {}};
/// The experiment's second job ends long before the first, and so do 40 000 more groups: 9 MB of
/// rows.
void rows_that_wait(const Folder& folder) {
    folder.write("e.yaml", R"(kind: Experiment
metadata: {name: waiting-rows}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 16}}}
  types:
    small: {cpu: 4}
  workload:
    - pods: [{type: small, at: 0s, lifetime: 30d}]
    - generate:
        arrivals: {distribution: constant, value: 2s}
        service: {distribution: constant, value: 2s}
        group: {spec: {group: {name: pair, size: 2, type: small}, constraints: []}}
        until: 80000s
  record: {sampleEvery: 10h}
)");
}

const Task run_as_arrow{{"run", "e.yaml", "-q", "-j1", "-o", "o", "--tables", "arrow"},
                        {"o/manifest.json", "o/pods.arrow", "o/summary.json"},
                        {}};

const Task run_sweep{{"sweep", "s.yaml", "-q", "-j1", "-o", "s"},
                     {"s/points.csv", "s/sweep.yaml"},
                     {"s/results.csv"}};
const Task deep_sweep{{"sweep", "s.yaml", "-q", "-j1", "-o", "a/b/s"},
                      {"a/b/s/points.csv", "a/b/s/sweep.yaml"},
                      {"a/b/s/results.csv"}};
const Task exported{{"export", "o", "--batsim", "-o", "a/x"}, {"a/x/jobs.csv"}, {}};
// The command opens each file of a run and reads the parts of the page: hundreds of similar calls.
const Task report{{"report", "o"}, {"o/report.html"}, {}, 5};
const Task plot{{"plot", "o", "-f", "wait-cdf", "-o", "x.csv"}, {"x.csv"}, {}};

}  // namespace

TEST_CASE("faults: a run in a new folder", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power", "power-all", "power-some");
    walk({kind}, run, &documents);
}

TEST_CASE("faults: a run in the place of another", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power", "power-all", "power-some");
    walk({kind}, run, &old_run);
}

TEST_CASE("faults: a run in folders that are not there yet", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power-all", "power-some");
    walk({kind}, deep_run, &documents);
}

TEST_CASE("faults: the rows that are to wait on the disk are more than memory keeps", "[faults]") {
    const Folder folder;
    rows_that_wait(folder);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    // All rows but those of the first job wait for it, as text: rows of groups are not packed.
    CHECK(folder.read("o/pods.csv").size() + folder.read("o/jobs.csv").size() >
          berth::experiments::waiting_bytes_max + 100'000);
}

TEST_CASE("faults: a run whose rows wait on the disk", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc");
    Task task = run;
    task.step = 83;
    walk({kind}, task, &rows_that_wait);
}

TEST_CASE("faults: a run whose files are written beside its replications", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    const auto two_replications = [](const Folder& folder) {
        folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 2\n"));
    };
    Task task = run;
    task.arguments[3] = "-j4";
    walk({kind}, task, two_replications);
}

TEST_CASE("faults: a file system that cannot exchange two names", "[faults]") {
    const Folder folder;
    old_run(folder);
    const Fault fault{.kind = "none", .no_exchange = true};
    const auto [answer, came] = berth_with(folder, run.arguments, fault);
    CHECK(answer.status == 0);
    CHECK(folder.read("o/notes.txt") == "mine\n");
    CHECK(folder.listing().size() == 15);  // nothing else is left beside the run
    CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
}

TEST_CASE("faults: a power cut where two names cannot be exchanged", "[faults]") {
    const std::string kind = GENERATE("power", "power-all", "power-some");
    walk({.kind = kind, .no_exchange = true}, run, &old_run);
}

TEST_CASE("faults: a sweep", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power", "power-all", "power-some");
    walk({kind}, run_sweep, &documents);
}

TEST_CASE("faults: what a killed sweep has left is safe when the next one is done", "[faults]") {
    Walk walk{.task = run_sweep, .before = {}, .after = {}};
    documents(walk.before);
    copy_into(walk.after, walk.before);
    (void)done(walk.after, run_sweep.arguments);
    Fault kill{.kind = "kill"};
    for (bool came = true; came; kill.at += cases(1) > 1 ? 1 : 5) {
        CAPTURE(kill.at);
        const Folder folder;
        copy_into(folder, walk.before);
        came = berth_with(folder, run_sweep.arguments, kill).second;
        Fault cut{.kind = "power-all", .at = 0};
        for (const std::string& name : folder.listing()) {
            // The folder of a run is synced before it is moved to its place.
            const auto depth = std::ranges::count(name.substr(0, name.size() - 1), '/');
            if (name.starts_with("s/") && depth <= 2) {
                cut.unsynced += name + ":";
            }
        }
        const auto [answer, none] = berth_with(folder, run_sweep.arguments, cut);
        CHECK(answer.status == 0);
        check_is_all_done(walk, folder);
    }
    CHECK(kill.at > 100);
}

TEST_CASE("faults: a sweep in folders that are not there yet", "[faults]") {
    const std::string kind = GENERATE("power-all", "power-some");
    walk({kind}, deep_sweep, &documents);
}

TEST_CASE("faults: a report", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power", "power-all");
    walk({kind}, report, &sound_run);
}

TEST_CASE("faults: a run that stores its tables as Arrow files", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power");
    walk({kind}, run_as_arrow, &old_run);
}

TEST_CASE("faults: a report of a run whose tables are Arrow files", "[faults]") {
    walk({"eio"}, report, &arrow_run);
}

TEST_CASE("faults: a table of a figure", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power", "power-all");
    walk({kind}, plot, &sound_run);
}

TEST_CASE("faults: the jobs of a run for Batsim", "[faults]") {
    const std::string kind = GENERATE("eio", "enospc", "power", "power-all");
    walk({kind}, exported, &sound_run);
}

TEST_CASE("faults: writes that write half", "[faults]") {
    const Folder folder;
    sound_run(folder);
    const std::string pods = folder.read("o/pods.csv");
    const auto [answer, came] = berth_with(folder, run.arguments, {"short"});
    CHECK(answer.status == 0);
    CHECK(folder.read("o/pods.csv") == pods);
    CHECK_THAT(done(folder, {"verify", "o"}), Catch::Contains("match manifest.json"));
}

TEST_CASE("faults: reads of Arrow files that read half", "[faults]") {
    const Folder folder;
    arrow_run(folder);
    folder.write("o/run.json", "{}");  // its content is not compared
    const auto [answer, came] = berth_with(folder, {"verify", "o"}, {"short"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.out, Catch::Contains("match manifest.json"));
}

TEST_CASE("faults: of rows that wait on the disk only half is written or read", "[faults]") {
    const Folder folder;
    rows_that_wait(folder);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    const auto [answer, came] =
        berth_with(folder, {"run", "e.yaml", "-q", "-o", "half"}, {"short"});
    CHECK(answer.status == 0);
    CHECK((folder.read("half/pods.csv") == folder.read("o/pods.csv")));
    CHECK(folder.read("half/manifest.json") == folder.read("o/manifest.json"));
}

TEST_CASE("faults: a run goes on with the threads that there are", "[faults]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 100\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-j1", "-o", "a"});
    for (const int threads : {1, 3}) {
        for (const char* compress : {"none", "zst"}) {
            CAPTURE(threads, compress);
            const auto [answer, came] =
                berth_with(folder,
                           {"run", "e.yaml", "-q", "-j8", "-o", "b", "--compress", compress},
                           {"threads", threads});
            INFO(answer.err);
            CHECK(answer.status == 0);
            CHECK(folder.read("a/manifest.json") == folder.read("b/manifest.json"));
        }
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
               answer.status == 127));  // the loader opens files, too
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
