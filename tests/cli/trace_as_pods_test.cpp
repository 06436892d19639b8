// The same jobs behave the same, whether they are listed or come from a trace.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "folder.hpp"
#include "tests/support/dice.hpp"

using namespace berth::tests;

namespace {

/// Random pods and gangs as two sources of a workload.
struct Jobs {
    std::string listed = "    - pods:\n";
    std::string groups = "    - groups:\n";
    std::string rows = "name,submit,run_time,members,cpu\n";

    Jobs(Dice& dice, const std::string& checkpoint) {
        // Both lists have at least one job, and no two jobs come at the same time.
        for (std::int64_t i = 0; i < 12; ++i) {
            const std::int64_t at = 10 * i + dice.roll(0, 9);
            const std::int64_t work = dice.roll(1, 150);
            const std::int64_t members = i < 2 ? i + 1 : dice.roll(1, 4);
            rows += fmt::format("job-{}x,{},{},{},4\n", i, at, work, members);
            const std::string rest =
                fmt::format("at: {}s, lifetime: {}s, checkpoint: {}}}\n", at, work, checkpoint);
            if (members == 1) {
                listed += fmt::format("        - {{name: job-{}x, type: one, {}", i, rest);
            } else {
                groups += fmt::format(
                    "        - {{document: {{spec: {{group: {{name: job-{}x, size: {}, type: "
                    "one}}}}}}, {}",
                    i,
                    members,
                    rest);
            }
        }
    }
};

/// Eight servers with room for two members each, in two racks; servers and racks fail and hang.
std::string experiment_with(Dice& dice, std::uint64_t seed, const std::string& sources) {
    return fmt::format(R"(kind: Experiment
metadata: {{name: either}}
spec:
  seed: {}
  topology:
    spec:
      levels: [{{name: rack, count: 2}}, {{name: host, count: 4}}]
      machines: [{{type: m}}]
      machineTypes: {{m: {{capacity: {{cpu: 8}}}}}}
  types: {{one: {{cpu: 4}}}}
  workload:
{}  scheduler: {{onFailure: {}, profile: {{queueSort: {}}}}}
  until: 2000s
  failures:
    random:
      - {{name: board, level: host, mtbf: 300s, repair: {{mean: 20s}}}}
      - {{name: power, level: rack, mtbf: 900s, repair: 15s}}
    detection: {}
)",
                       seed,
                       sources,
                       dice.chance(50) ? "requeue" : "replace",
                       dice.chance(50) ? "fcfs" : "conservative-backfill",
                       dice.chance(50) ? "0s" : "7s");
}

/// The jobs table without its column `type`, since the jobs of a trace have no types.
std::string table(const Folder& folder, const std::string& experiment) {
    folder.write("experiment.yaml", experiment);
    (void)done(folder, {"run", "experiment.yaml", "-q", "--check-invariants", "-o", "out"});
    std::string jobs = folder.read("out/jobs.csv");
    for (std::size_t at = jobs.find(",one,"); at != std::string::npos; at = jobs.find(",one,")) {
        jobs.replace(at, std::string(",one,").size(), ",,");
    }
    return jobs + folder.read("out/evictions.csv") + folder.read("out/failures.csv");
}

}  // namespace

TEST_CASE("trace: jobs with checkpoints do what the same jobs do where they are listed",
          "[cli][trace][property]") {
    for (std::uint64_t seed = 1; seed <= cases(8); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::string checkpoint =
            fmt::format("{{every: {}, takes: 2s, stall: {}s, restart: {}s}}",
                        dice.chance(50) ? "optimal" : "13s",
                        dice.roll(1, 2),
                        dice.roll(0, 9));
        const Jobs jobs(dice, checkpoint);
        Dice same = dice;
        const Folder folder;
        folder.write("jobs.csv", jobs.rows);
        const std::string traced = fmt::format(
            "    - trace: {{format: csv, file: jobs.csv, zero: trace, checkpoint: {}}}\n",
            checkpoint);
        const std::string from_trace = table(folder, experiment_with(dice, seed, traced));
        CHECK(from_trace == table(folder, experiment_with(same, seed, jobs.listed + jobs.groups)));
        CHECK(from_trace.find("node-failed") != std::string::npos);
    }
}
