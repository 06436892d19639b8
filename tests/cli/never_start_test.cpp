// Jobs that can never start, even on an empty cluster: which ones, why, and how many.

#include <string>

#include <catch2/catch.hpp>

#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Two racks with three servers of eight GPUs each; a group is placed under `constraints`.
std::string experiment_with(const std::string& size,
                            const std::string& constraints,
                            const std::string& more = "") {
    return R"(kind: Experiment
metadata: {name: never}
spec:
  topology: {spec: {levels: [{name: rack, count: 2}, {name: server, count: 3}],
    machines: [{type: hgx}], machineTypes: {hgx: {capacity: {cpu: 64, nvidia.com/gpu: 8}}}}}
  types: {one: {cpu: 4, nvidia.com/gpu: 1}, all: {cpu: 64, nvidia.com/gpu: 8}}
  workload:
    - groups: [{at: 1s, lifetime: 1m, document: {kind: GroupPlacement, spec: {
        group: {name: gang, type: one, size: )" +
           size + "}, constraints: [" + constraints + "]}}}]\n" + more;
}

std::string warnings_of(const std::string& experiment, int status = 0) {
    const Folder folder;
    folder.write("never.yaml", experiment);
    const Answer validate = folder.berth({"validate", "never.yaml"});
    CHECK(validate.status == status);
    const Answer run = folder.berth({"run", "never.yaml", "--quiet"});
    CHECK(run.status == status);
    // Both commands say the same about it.
    CHECK((run.err.find("can never start") == std::string::npos) ==
          (validate.err.find("can never start") == std::string::npos));
    return run.err;
}

const std::string in_one_rack = "{level: rack, affinity: pack, soft: false, scope: group}";

}  // namespace

TEST_CASE("never start: a gang that no rack holds", "[cli][never-start]") {
    CHECK(warnings_of(experiment_with("24", in_one_rack)).empty());
    CHECK(warnings_of(experiment_with("25", in_one_rack)) ==
          "never: warning: gang: 25 members must start in one rack by its hard constraint, and "
          "none holds more than 24: it can never start\n");
    CHECK(warnings_of(experiment_with("49", "")) ==
          "never: warning: gang: 49 members must start, the empty cluster holds 48: it can never "
          "start\n");
}

TEST_CASE("never start: members that are to be apart", "[cli][never-start]") {
    const std::string apart = "{level: server, affinity: spread, soft: false}";
    CHECK(warnings_of(experiment_with("6", apart)).empty());
    CHECK(warnings_of(experiment_with("7", apart)) ==
          "never: warning: gang: 7 members must start, each in its own server by its hard "
          "constraint, and 6 have room: it can never start\n");
}

TEST_CASE("never start: constraints that are too much together", "[cli][never-start]") {
    const std::string both = in_one_rack + ", {level: server, affinity: spread, soft: false}";
    CHECK(warnings_of(experiment_with("3", both)).empty());
    CHECK(warnings_of(experiment_with("4", both)) ==
          "never: warning: gang: 4 members must start, and under its constraints the empty cluster "
          "holds 3: it can never start\n");
}

TEST_CASE("never start: many jobs of a source are one line", "[cli][never-start]") {
    CHECK(warnings_of(replaced(experiment_with("1",
                                               "",
                                               "    - pods: [{name: p, type: all, count: 100, at: "
                                               "1s, lifetime: 1s}]\n  until: 1m\n"),
                               "all: {cpu: 64",
                               "all: {cpu: 65")) ==
          "never: warning: p-0 and 99 more jobs: a pod demands more than any server has: 65 cpu, "
          "and none has more than 64: they can never start\n");
}

TEST_CASE("never start: servers that come later count, those that never come do not",
          "[cli][never-start]") {
    const std::string added =
        "  failures: {events: [{at: 10s, node: server-0, event: add}]}\n  until: 1h\n";
    CHECK(warnings_of(experiment_with("48", "", added)).empty());
}

TEST_CASE("never start: a quota's max, and its parent's", "[cli][never-start]") {
    const auto with_quotas = [](const std::string& quotas) {
        const std::string more = "  until: 1h\n  quotas: [{objects: [" + quotas + "]}]\n";
        return replaced(experiment_with("8", "", more), "{at: 1s,", "{at: 1s, quota: team,");
    };
    const std::string why =
        "never: warning: gang: asks for 8 nvidia.com/gpu, more than the max of its quota ";
    CHECK_THAT(warnings_of(with_quotas("{kind: ElasticQuota, metadata: {name: team}, "
                                       "spec: {max: {nvidia.com/gpu: 4}}}")),
               Catch::Contains(why + "team, 4: it can never start"));
}

TEST_CASE("never start: the max of a quota's parents, one level up and two", "[cli][never-start]") {
    const auto quota = [](const std::string& name,
                          const std::string& parent,
                          const std::string& most,
                          bool is_parent) {
        return "{kind: ElasticQuota, metadata: {name: " + name +
               ", labels: {quota.scheduling.koordinator.sh/is-parent: '" +
               (is_parent ? "true" : "false") +
               "', quota.scheduling.koordinator.sh/parent: " + parent +
               "}}, spec: {min: {nvidia.com/gpu: 0}, max: {nvidia.com/gpu: " + most + "}}}";
    };
    const auto said_with =
        [&](const std::string& top, const std::string& middle, const std::string& scheduler = "") {
            const std::string more = "  until: 1h\n" + scheduler + "  quotas: [{objects: [" +
                                     quota("org", "koordinator-root-quota", top, true) + ", " +
                                     quota("dept", "org", middle, true) + ", " +
                                     quota("team", "dept", "48", false) + "]}]\n";
            return warnings_of(
                replaced(experiment_with("8", "", more), "{at: 1s,", "{at: 1s, quota: team,"));
        };
    const std::string why =
        "never: warning: gang: asks for 8 nvidia.com/gpu, more than the max of its quota ";
    CHECK_THAT(said_with("48", "48"), !Catch::Contains("can never start"));
    CHECK_THAT(said_with("48", "4"), Catch::Contains(why + "dept, 4: it can never start"));
    CHECK_THAT(said_with("4", "48"), Catch::Contains(why + "org, 4: it can never start"));
    // If parents are not checked, their max keeps no job out.
    const std::string alone =
        "  scheduler: {profile: {preFilter: [{name: elastic-quota, limit: max}]}}\n";
    CHECK_THAT(said_with("4", "4", alone), !Catch::Contains("can never start"));
}
