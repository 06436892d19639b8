#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// A valid sweep over the valid experiment.
const std::string sound_sweep = R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: sound.yaml}
  axes:
    - {name: seed0, path: spec.seed, values: [1, 2]}
    - {name: rate, path: spec.workload[0].background.load, range: {from: 0.1, to: 0.3, step: 0.1}}
    - {name: policy, variants: {first: {spec.scheduler.period: 1s}, other: {}}}
  exclude: [{seed0: 1, policy: first}]
  replications: 1
)";

/// Changes the valid sweep. `message` is the first line of the error, from the line's number on.
void check_sweep(const std::string& instead_of,
                 const std::string& put,
                 const std::string& message) {
    CAPTURE(put);
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    folder.write("bad.yaml", replaced(sound_sweep, instead_of, put));
    for (const char* command : {"validate", "sweep"}) {
        const Answer answer = folder.berth({command, "bad.yaml"});
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK_THAT(answer.first_line(), Catch::StartsWith("bad.yaml:" + message));
        CHECK_THAT(answer.first_line(), Catch::Contains(": expected "));
    }
    CHECK(folder.listing() == std::vector<std::string>{"bad.yaml", "sound.yaml"});
}

}  // namespace

TEST_CASE("bad input: a sweep's mistakes are reported where they stand, and nothing is written",
          "[cli][bad-input][sweep]") {
    check_sweep("spec.workload[0].background.load",
                "spec.workload[0].backgruond.load",
                "8:26: error: the path spec.workload[0].backgruond.load has no 'backgruond': "
                "expected background (did you mean 'spec.workload[0].background.load'?)");
    check_sweep("spec.workload[0].background.load",
                "spec.workload[7].background.load",
                "8:26: error: the path spec.workload[7].background.load has no entry [7]: expected "
                "an index below ");
    check_sweep("spec.scheduler.period: 1s",
                "spec.scheduler.perod: 1s",
                "9:41: error: unknown key 'perod' in scheduler");
    check_sweep("spec.scheduler.period: 1s",
                "spec.seed: 7",
                "9:41: error: the axis 'seed0' sets spec.seed too: expected it to be set once");
    check_sweep(
        "values: [1, 2]", "values: []", "7:46: error: found an empty list: expected a list of");
    check_sweep("from: 0.1, to: 0.3", "from: 0.5, to: 0.3", "8:67: error: an empty range");
    check_sweep("from: 0.1, to: 0.3, step: 0.1",
                "from: 10s, to: 30, step: 10s",
                "8:67: error: a range whose units do not go together: expected durations alone");
    check_sweep("from: 0.1, to: 0.3, step: 0.1",
                "from: 0.1x, to: 0.3x, step: 0.1x",
                "8:74: error: found '0.1x': expected a number, a duration or an amount");
    check_sweep("variants: {first: {spec.scheduler.period: 1s}, other: {}}",
                "variants: {}",
                "9:32: error: found an empty map: expected a map of variants, at least one");
    check_sweep("values: [1, 2]", "values: [1, x]", "7:50: error: found 'x': expected");
    check_sweep("values: [1, 2]", "values: [1, 1]", "7:50: error: the axis 'seed0' has '1' twice");
    check_sweep("path: spec.seed, values: [1, 2]",
                "values: [1, 2]",
                "7:7: error: an axis needs a path with values");
    check_sweep("name: seed0", "name: seed", "7:14: error: the name 'seed' is a column");
    check_sweep("name: rate", "name: seed0", "8:14: error: a second axis 'seed0'");
    check_sweep("name: rate",
                "name: \"\\uFEFFrate\"",
                "8:14: error: the name begins with a byte order mark, which readers of tables "
                "leave out: expected a name without it");
    check_sweep("policy: first}]",
                "polic: first}]",
                "10:24: error: unknown axis 'polic': expected seed0, rate or policy (did you mean "
                "'policy'?)");
    check_sweep("seed0: 1,", "seed0: 3,", "10:21: error: the axis 'seed0' has no value '3'");
    check_sweep("  replications: 1",
                "  zip: [[seed0, rate]]\n  replications: 1",
                "11:17: error: the axis 'rate' has 3 values, and 'seed0' has 2: expected axes of "
                "equal length");
    check_sweep("  replications: 1", "  replicatons: 1", "11:3: error: unknown key 'replicatons'");
    check_sweep("{file: sound.yaml}",
                "{file: sond.yaml}",
                "5:22: error: sond.yaml cannot be read (No such file or directory): expected");
    check_sweep("{file: sound.yaml}", "{kind: Sweep}", "5:22: error: found 'Sweep': expected");
}

TEST_CASE("bad input: a sweep that is too large, or goes where another one is",
          "[cli][bad-input][sweep]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    folder.write("large.yaml",
                 replaced(sound_sweep, "values: [1, 2]", "range: {from: 1, to: 600000, step: 1}"));
    CHECK(folder.berth({"sweep", "large.yaml"}).first_line() ==
          "large.yaml: error: a sweep of 3600000 points: expected at most 1000000, or --yes");
    folder.write("up.yaml", replaced(sound_sweep, "name: s}", "name: ..}"));
    CHECK(folder.berth({"sweep", "up.yaml"}).first_line() ==
          "up.yaml: error: metadata.name '..' cannot name a folder: expected one without '/', or "
          "-o");
    folder.write("sound_sweep.yaml", sound_sweep);
    folder.write("other.yaml", replaced(sound_sweep, "name: s}", "name: other}"));
    folder.write("taken/file", "something");
    done(folder, {"sweep", "sound_sweep.yaml", "--quiet"});
    const auto before = folder.listing();
    CHECK(folder.berth({"sweep", "other.yaml", "-o", "out/s"}).first_line() ==
          "out/s: error: belongs to another sweep, 's': expected a folder of 'other', or a new one "
          "by -o");
    CHECK(folder.berth({"sweep", "sound_sweep.yaml", "-o", "taken"}).first_line() ==
          "taken: error: exists and is not a sweep directory: expected a new folder, or one that "
          "berth sweep wrote");
    CHECK(folder.berth({"sweep", "sound_sweep.yaml", "--shard", "2/2"}).first_line() ==
          "--shard: error: found '2/2': expected i/n with i from 0 to n - 1, such as 0/4");
    CHECK(folder.berth({"sweep", "sound_sweep.yaml", "--set", "spec.seed=3"}).first_line() ==
          "--set spec.seed=3: error: the axis 'seed0' sets spec.seed too: expected it to be set "
          "once");
    const Arguments replications{"sweep", "sound_sweep.yaml", "--set", "spec.replications=3"};
    CHECK(folder.berth(replications).first_line() ==
          "--set spec.replications=3: error: the sweep's replications set spec.replications too: "
          "expected it to be set once");
    CHECK_THAT(
        folder.berth({"run", "sound_sweep.yaml"}).first_line(),
        Catch::Contains("found kind 'Sweep': expected Experiment; berth sweep runs a Sweep"));
    folder.write("experiment.yaml", "kind: Experiment\n");
    CHECK_THAT(
        folder.berth({"sweep", "experiment.yaml"}).first_line(),
        Catch::Contains("found kind 'Experiment': expected Sweep; berth run runs an Experiment"));
    std::filesystem::remove(folder.path() / "experiment.yaml");
    CHECK(folder.listing() == before);
}
