#include <filesystem>
#include <string>
#include <vector>

#include "documents.hpp"

#include <catch2/catch.hpp>

#include "folder.hpp"

namespace berth::tests {

const std::string sweep_of_two = R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: e.yaml}
  axes: [{name: cpu, path: spec.types.small.cpu, values: [4, 8]}]
)";

const std::string sound_experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: tiny}
spec:
  topology:
    spec:
      levels:
        - {name: rack, count: 2}
        - {name: server, count: 3}
      machines: [{type: host}]
      machineTypes:
        host: {capacity: {cpu: 16, memory: 64Gi}}
  types:
    small: {cpu: 4, memory: 8Gi}
  workload:
    - background: {load: 0.2, full: 0.1, idle: 0.1, variation: 1}
    - groups:
        - document:
            kind: GroupPlacement
            spec:
              group: {name: g, size: 4, type: small}
              constraints:
                - {level: rack, affinity: pack, soft: true}
          at: 0s
          lifetime: 1h
    - pods: [{type: small, at: 1s, lifetime: 1m}]
    - generate:
        arrivals: {distribution: exponential, mean: 1m}
        service: {distribution: log-normal, mean: 5m, variation: 2}
        type: small
        until: 1h
  scheduler:
    retry: always
    profile: {filter: [resources-fit], score: [best-fit]}
  record: {sampleEvery: 10m}
)";

const std::string sound_topology = R"(kind: Topology
spec:
  levels:
    - {name: rack, count: 2}
    - {name: server, count: 2}
  machines:
    - {type: small}
  machineTypes:
    small: {capacity: {cpu: 4, memory: 8Gi}}
)";

const std::string sound_tree = R"(kind: Topology
spec:
  levels: [cluster, rack, server]
  machineTypes:
    a: {capacity: {cpu: 2}}
  nodes:
    - {name: c}
    - {name: s0, parent: r0, type: a}
    - {name: r0, parent: c}
    - {name: r1, parent: c}
    - {name: s1, parent: r1, type: a}
)";

void check_mistakes(const std::string& command,
                    const std::string& sound,
                    const std::vector<Mistake>& mistakes) {
    const Folder folder;
    folder.write("bad.yaml", sound);
    REQUIRE(folder.berth({command, "bad.yaml"}).status == 0);
    std::filesystem::remove_all(folder.path() / "out");
    for (const Mistake& mistake : mistakes) {
        CAPTURE(mistake.what);
        folder.write("bad.yaml", replaced(sound, mistake.instead_of, mistake.put));
        const Answer answer = folder.berth({command, "bad.yaml"});
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK(answer.first_line() == "bad.yaml:" + mistake.message);
        CHECK_THAT(answer.first_line(), Catch::Contains(": expected "));
        CHECK_THAT(answer.err, Catch::Contains("\n  ") && Catch::Contains(" ^"));
        CHECK(folder.listing() == std::vector<std::string>{"bad.yaml"});
    }
}

}  // namespace berth::tests
