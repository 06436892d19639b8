/// Experiments that name an outside scheduler.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: outside}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 1}}
  scheduler:
    python: policy.py:Fifo
    params: {patience: 3}
    lostWork: 0.5
  workload:
    - pods: [{name: a, type: one, lifetime: 10s}]
)";

}  // namespace

TEST_CASE("outside: what is beside a scheduler that decides everything is refused",
          "[cli][outside][bad-input]") {
    const Folder folder;
    folder.write("policy.py", "class Fifo: ...\n");
    const auto said = [&](const std::string& part, const std::string& by) {
        folder.write("e.yaml", replaced(experiment, part, by));
        const Answer answer = folder.berth({"validate", "e.yaml"});
        CHECK(answer.status == 2);
        return answer.first_line();
    };
    CHECK(said("lostWork: 0.5", "queueSort: fcfs") ==
          "e.yaml:14:5: error: 'queueSort' cannot be used with 'python', which decides everything: "
          "expected python alone");
    CHECK(said("lostWork: 0.5", "onFailure: shrink") ==
          "e.yaml:14:16: error: groups cannot go on at once with python, since that scheduler "
          "decides which jobs start: expected requeue or requeue-last");
    CHECK(
        said("lostWork: 0.5", "patience: 3") ==
        "e.yaml:14:5: error: unknown key 'patience' in scheduler: expected python, sha256, params, "
        "period, retry, profile, typicalPods, lostWork, atLimit or onFailure");
    CHECK(said("params: {patience: 3}", "params: 3") ==
          "e.yaml:13:13: error: found '3': expected a map, such as {patience: 3}");
    CHECK(said("policy.py:Fifo", "policy.py") ==
          "e.yaml:12:13: error: found 'policy.py': expected FILE.py:CLASS");
    CHECK(said("policy.py:Fifo", "nowhere.py:Fifo") ==
          "e.yaml:12:13: error: nowhere.py cannot be read (No such file or directory): expected a "
          "readable file");
}

TEST_CASE("outside: the program says how a scheduler in Python is run", "[cli][outside]") {
    const Folder folder;
    folder.write("policy.py", "class Fifo: ...\n");
    folder.write("e.yaml", experiment);
    CHECK_THAT(done(folder, {"validate", "e.yaml"}),
               Catch::Contains("e.yaml: valid, and can be run only by Python, with the code of ") &&
                   Catch::EndsWith("/policy.py\n"));
    const Answer answer = folder.berth({"run", "e.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "e.yaml:12:13: error: this program cannot call a scheduler in Python: run the experiment "
          "from Python: import berth; berth.run(FILE, allow_code=True)");
    CHECK(folder.listing() == std::vector<std::string>{"e.yaml", "policy.py"});
}

TEST_CASE("outside: a scheduler that calls berth.h has a name, and is no program's to run",
          "[cli][outside]") {
    const Folder folder;
    const std::string named = replaced(experiment,
                                       "    python: policy.py:Fifo\n    params: {patience: 3}\n",
                                       "    caller: mine\n");
    folder.write("e.yaml", named);
    CHECK(done(folder, {"validate", "e.yaml"}) ==
          "e.yaml: valid, and can be run only by a program in C\n");
    folder.write("s.yaml",
                 "kind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: e.yaml}\n"
                 "  axes: [{name: dice, path: spec.seed, values: [1, 2]}]\n");
    CHECK(done(folder, {"validate", "s.yaml"}) ==
          "s.yaml: valid, and can be run only by a program in C\n");
    const Answer answer = folder.berth({"run", "e.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "e.yaml:12:13: error: this experiment is stepped from C (berth_begin, berth_step): berth "
          "run cannot drive it");
    const auto said = [&](const std::string& part, const std::string& by) {
        folder.write("e.yaml", replaced(named, part, by));
        const Answer refused = folder.berth({"validate", "e.yaml"});
        CHECK(refused.status == 2);
        return refused.first_line();
    };
    CHECK(said("caller: mine", "caller: mine.c") ==
          "e.yaml:12:13: error: found 'mine.c': expected a name of letters, digits and _");
    CHECK(said("lostWork: 0.5", "period: 10s") ==
          "e.yaml:13:5: error: 'period' cannot be used with 'caller', which decides everything: "
          "expected caller alone");
    CHECK(said("lostWork: 0.5", "params: {}") ==
          "e.yaml:13:5: error: unknown key 'params' in scheduler: expected caller, typicalPods, "
          "lostWork, atLimit or onFailure");
}
