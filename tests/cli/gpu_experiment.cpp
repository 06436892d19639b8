#include "gpu_experiment.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

namespace berth::tests {

const std::string gpu_experiment = R"(kind: Experiment
metadata: {name: gpus}
spec:
  topology: {spec: {levels: [{name: rack, count: 2}, {name: server, count: 3}],
    machines: [{type: hgx}], machineTypes: {hgx: {capacity: {cpu: 64, nvidia.com/gpu: 8}}}}}
  types:
    one: {cpu: 4, nvidia.com/gpu: 1}
    two: {cpu: 8, nvidia.com/gpu: 2}
  workload:
    - generate:
        arrivals: {distribution: exponential, mean: 1m}
        service: {distribution: exponential, mean: 10m}
        count: 20
        mix:
          - {name: small, type: one, user: ann}
          - weight: 2
            user: bob
            group: {spec: {group: {name: gang, size: 2, type: two}}}
)";

std::string refusal_of(const std::string& experiment) {
    const Folder folder;
    folder.write("x.yaml", experiment);
    const Answer validate = folder.berth({"validate", "x.yaml"});
    const Answer run = folder.berth({"run", "x.yaml", "--quiet"});
    CHECK(validate.status == 2);
    CHECK(run.status == 2);
    CHECK(run.first_line() == validate.first_line());
    CHECK(folder.listing() == std::vector<std::string>{"x.yaml"});
    return validate.first_line();
}

std::string warning_of(const std::string& experiment,
                       const std::string& file,
                       const std::string& text) {
    const Folder folder;
    folder.write("x.yaml", experiment);
    if (!file.empty()) {
        folder.write(file, text);
    }
    const Answer answer = folder.berth({"validate", "x.yaml"});
    CHECK(answer.status == 0);
    return answer.err;
}

}  // namespace berth::tests
