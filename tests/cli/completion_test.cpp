// The answers of `berth complete` to shells; it knows everything that the help states.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string experiment = R"(kind: Experiment
metadata: {name: small}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: small}]
      machineTypes: {small: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}}
  workload:
    - generate:
        arrivals: {distribution: constant, value: 10s}
        service: {distribution: constant, value: 20s}
        count: 5
        type: one
)";

const std::string sweep = R"(kind: Sweep
metadata: {name: points}
spec:
  experiment: {file: small.yaml}
  axes:
    - {name: count, path: 'spec.workload[0].generate.count', values: [5, 10]}
    - name: policy
      variants:
        first: {spec.scheduler.profile.score: [first-fit]}
        best: {spec.scheduler.profile.score: [best-fit]}
)";

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The possible completions of the last of these words, without their descriptions.
std::vector<std::string> completed(const Folder& folder, Arguments words) {
    words.insert(words.begin(), {"complete", "zsh"});
    std::vector<std::string> out = lines_of(done(folder, words));
    for (std::string& line : out) {
        line.resize(line.find('\t'));
    }
    return out;
}

/// What bash may put in place of `exchanged` at the end of a line.
std::vector<std::string> in_bash(const Folder& folder,
                                 const std::string& line,
                                 const std::string& exchanged) {
    return lines_of(done(folder, {"complete", "bash", line, exchanged}));
}

using Words = std::vector<std::string>;

/// An option as the help states it.
struct HelpOption {
    std::string long_name;
    std::string short_name;
    bool has_value = false;
};

std::vector<HelpOption> options_in_help(const std::string& help) {
    // `  -o [ --output ] DIR   the run directory` or `  --quiet   ...`: two blanks end the value.
    static const std::regex option(R"(^  (?:(-\w) \[ )?--([a-z-]+)(?: \])?( \S+)?( |$).*)");
    std::vector<HelpOption> out;
    for (const std::string& line : lines_of(help)) {
        std::smatch found;
        if (std::regex_match(line, found, option)) {
            out.push_back({found[2], found[1], found[3].matched});
        }
    }
    return out;
}

std::vector<std::string> commands_in_help(const Folder& folder) {
    std::vector<std::string> out;
    for (const std::string& line : lines_of(done(folder, {"--help"}))) {
        if (line.starts_with("  ") && line[2] != ' ') {
            out.push_back(line.substr(2, line.find(' ', 2) - 2));
        }
    }
    return out;
}

}  // namespace

TEST_CASE("completion: each command, each of its options, and nothing else", "[cli][completion]") {
    const Folder folder;
    Words commands = commands_in_help(folder);
    CHECK(commands.size() > 10);
    for (const std::string& command : commands) {
        Words expected;
        for (const HelpOption& option : options_in_help(done(folder, {command, "--help"}))) {
            expected.push_back("--" + option.long_name);
            if (!option.short_name.empty()) {
                expected.push_back(option.short_name);
            }
        }
        CAPTURE(command);
        CHECK(expected.size() >= 2);
        CHECK(completed(folder, {command, "-"}) == expected);
    }
    commands.insert(commands.end(), {"--help", "--version"});
    CHECK(completed(folder, {""}) == commands);
    CHECK(completed(folder, {"wo"}) == Words{"workload"});
    CHECK(completed(folder, {"no-command", ""}).empty());
}

TEST_CASE("completion: what may stand for each value is said of each, and sorted",
          "[cli][completion]") {
    const Folder folder;
    const std::string list =
        read_file(project_file("experiments/program/commands/completion/values.def"));
    std::set<std::string> told;
    std::vector<std::string> order;
    static const std::regex value(R"re(^BERTH_VALUE\("([^"]+)", "([^"]+)", .*)re");
    for (const std::string& line : lines_of(list)) {
        std::smatch found;
        if (std::regex_match(line, found, value)) {
            order.push_back(found[1].str() + " " + found[2].str());
            told.insert(order.back());
        }
    }
    CHECK(std::ranges::is_sorted(order));
    std::size_t options = 0;
    for (const std::string& command : commands_in_help(folder)) {
        for (const HelpOption& option : options_in_help(done(folder, {command, "--help"}))) {
            if (option.has_value) {
                CAPTURE(command, option.long_name);
                CHECK(told.contains(command + " " + option.long_name));
                ++options;
            }
        }
    }
    CHECK(options > 40);
}

TEST_CASE("completion: values of closed lists", "[cli][completion]") {
    const Folder folder;
    CHECK(completed(folder, {"topology", "-f", "g"}) == Words{"graphml", "group-keys"});
    CHECK(completed(folder, {"topology", "--format=g"}) ==
          Words{"--format=graphml", "--format=group-keys"});
    CHECK(completed(folder, {"workload", "--format", ""}) == Words{"csv", "jsonl"});
    CHECK(completed(folder, {"workload", "--to", ""}) == Words{"csv", "jsonl"});
    CHECK(completed(folder, {"workload", "--from=s"}) ==
          Words{"--from=sacct", "--from=scontrol", "--from=swf"});
    CHECK(completed(folder, {"validate", "--from", "sw"}) == Words{"swf"});
    CHECK(completed(folder, {"plot", "--figure", "qu"}) == Words{"quota-areas", "quotas"});
    CHECK(completed(folder, {"list", "scor"}) == Words{"scores"});
    CHECK(completed(folder, {"bench", "cyc"}) == Words{"cycle"});
    CHECK(completed(folder, {"candidates", "--order", "wor"}) == Words{"worst-fit"});
    CHECK(completed(folder, {"run", "--set", "spec.scheduler.profile.q"}) ==
          Words{"spec.scheduler.profile.queueSort="});
    CHECK(completed(folder, {"run", "--set", "spec.scheduler.profile.queueSort=sh"}) ==
          Words{"spec.scheduler.profile.queueSort=shortest-job"});
    CHECK(completed(folder, {"run", "--set", "spec.scheduler.profile.score=[best"}) ==
          Words{"spec.scheduler.profile.score=[best-fit]"});
    CHECK(completed(folder, {"run", "--seed", ""}).empty());
}

TEST_CASE("completion: files by what a command reads", "[cli][completion]") {
    const Folder folder;
    folder.write("a.yaml", "");
    folder.write("b.csv", "");
    folder.write(".hidden.yaml", "");
    std::filesystem::create_directories(folder.path() / "my out/deep");
    folder.write("my out/c d.yml", "");
    CHECK(completed(folder, {"run", ""}) == Words{"a.yaml", "my out/"});
    CHECK(completed(folder, {"run", "."}) == Words{".hidden.yaml"});
    CHECK(completed(folder, {"run", "my out/"}) == Words{"my out/c d.yml", "my out/deep/"});
    CHECK(completed(folder, {"run", "nowhere/"}).empty());
    CHECK(completed(folder, {"run", "a.yaml", ""}).empty());
    CHECK(completed(folder, {"run", "-o", ""}) == Words{"my out/"});
    CHECK(completed(folder, {"validate", "a.yaml", ""}) == Words{"a.yaml", "b.csv", "my out/"});
    CHECK(completed(folder, {"workload", "b"}) == Words{"b.csv"});
    // After `--`, a word that begins with a hyphen is a file.
    folder.write("-x.yaml", "");
    CHECK(completed(folder, {"run", "--", "-"}) == Words{"-x.yaml"});
}

TEST_CASE("completion: runs, points, metrics and axes", "[cli][completion]") {
    const Folder folder;
    folder.write("small.yaml", experiment);
    folder.write("sweep.yaml", sweep);
    done(folder, {"run", "small.yaml", "-o", "out/my run", "-q"});
    done(folder, {"sweep", "sweep.yaml", "-o", "out/points", "-q"});

    CHECK(completed(folder, {"report", ""}) == Words{"out/"});
    CHECK(completed(folder, {"report", "out/"}) ==
          Words{"out/my run", "out/points", "out/points:"});
    CHECK(completed(folder, {"why", "out/p"}) == Words{"out/points:"});
    CHECK(completed(folder, {"why", "out/points:count=1"}) ==
          Words{"out/points:count=10,policy=first", "out/points:count=10,policy=best"});
    CHECK(completed(folder, {"compare", "out/points", "--against", "count=5,policy=b"}) ==
          Words{"count=5,policy=best"});

    CHECK(completed(folder, {"compare", "out/my run", "-m", "wait_s_p9"}) ==
          Words{"wait_s_p95", "wait_s_p99"});
    CHECK(completed(folder, {"compare", "-m", "wait_s_p9"}) == Words{"wait_s_p95", "wait_s_p99"});
    CHECK(completed(folder, {"compare", "out/points:count=5,policy=best", "--metric=pods_fin"}) ==
          Words{"--metric=pods_finished"});

    CHECK(completed(folder, {"report", "out/points", "--target", "pods_fin"}) ==
          Words{"pods_finished"});

    CHECK(completed(folder, {"plot", "out/points", "--figure", "l"}) == Words{"lines"});
    CHECK(completed(folder, {"plot", "out/my run", "--figure", "l"}) ==
          Words{"levels", "locality"});
    CHECK(completed(folder, {"plot", "out/points", "--x", ""}) == Words{"count", "policy"});
    CHECK(completed(folder, {"plot", "out/points", "--by", ""}) ==
          Words{"count", "policy", "none"});
    CHECK(completed(folder, {"plot", "out/points", "--where", ""}) == Words{"count=", "policy="});
    CHECK(completed(folder, {"plot", "out/points", "--where", "policy="}) ==
          Words{"policy=first", "policy=best"});
    CHECK(completed(folder, {"plot", "out/points", "--metric", "pods_fin"}) ==
          Words{"pods_finished"});
}

TEST_CASE("completion: names of metrics with brackets are whole words", "[cli][completion]") {
    const Folder folder;
    std::filesystem::create_directories(folder.path() / "run");
    folder.write("run/summary.json", "{}");
    folder.write("run/replications.csv",
                 "replication,seed,job_wait_s_mean[team-a],job_wait_s_mean[team b]\n");
    CHECK(completed(folder, {"compare", "run", "-m", "job_wait_s_mean["}) ==
          Words{"job_wait_s_mean[team b]", "job_wait_s_mean[team-a]"});
    CHECK(in_bash(folder, "berth compare run -m job_wait_s_mean\\[", "job_wait_s_mean\\[") ==
          Words{"job_wait_s_mean[team b]", "job_wait_s_mean[team-a]"});
}

TEST_CASE("completion: bash is told what it exchanges, of the line as it is typed",
          "[cli][completion]") {
    const Folder folder;
    std::filesystem::create_directories(folder.path() / "my out/it's");
    folder.write("my out/a.yaml", "");
    const Words both{"my out/a.yaml", "my out/it's/"};
    CHECK(in_bash(folder, "berth run my\\ out/", "my\\ out/") == both);
    CHECK(in_bash(folder, "berth run \"my out/", "my out/") == both);
    CHECK(in_bash(folder, "berth run 'my out/", "my out/") == both);
    CHECK(in_bash(folder, "berth run 'my out'/", "'my out'/") == both);
    CHECK(in_bash(folder, "berth run 'my out/", "something else").empty());
    CHECK(in_bash(folder, "berth run \"my out/it's\"/", "\"my out/it's\"/").empty());
    CHECK(in_bash(folder, "berth run \"\" ", "").empty());  // an empty word is a word
    // For bash, a colon or an equals sign ends a word.
    CHECK(in_bash(folder, "berth topology --format=d", "d") == Words{"dot", "device"});
    CHECK(in_bash(folder, "berth topology --format=", "") ==
          in_bash(folder, "berth topology --format ", ""));
    CHECK(in_bash(folder, "berth\tlist \\\"", "").empty());
    CHECK(in_bash(folder, "berth", "berth").empty());
}

TEST_CASE("completion: whatever goes wrong, nothing is said", "[cli][completion]") {
    const Folder folder;
    std::filesystem::create_directories(folder.path() / "broken");
    folder.write("broken/points.csv", "\"");
    folder.write("broken/replications.csv", "\"");
    for (const Arguments& words : std::vector<Arguments>{
             {"complete"},
             {"complete", "bash"},
             {"complete", "bash", "", ""},
             {"complete", "csh", "run"},
             {"complete", "zsh"},
             {"complete", "zsh", "compare", "broken", "-m", ""},
             {"complete", "zsh", "compare", "missing", "-m", ""},
             {"complete", "zsh", "plot", "broken", "--x", ""},
             {"complete", "zsh", "report", "broken:"},
         }) {
        const Answer answer = folder.berth(words);
        CHECK(answer.status == 0);
        CHECK(answer.out.empty());
        CHECK(answer.err.empty());
    }
}
