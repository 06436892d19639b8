#include "sweeps.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace berth::tests {

/// Pods that arrive at random on four servers.
const std::string base_experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: base}
spec:
  topology: {file: cluster.yaml}
  types: {worker: {cpu: 2}}
  workload:
    - generate: {name: w, type: worker, arrivals: {distribution: exponential, mean: 1m},
        service: {distribution: exponential, mean: 20m}, count: 40}
  scheduler: {profile: {queueSort: fifo}}
)";
const std::string base_cluster = R"(apiVersion: berth/v1
kind: Topology
metadata: {name: four}
spec:
  levels: [{name: rack, count: 2}, {name: server, count: 2}]
  machines: [{type: small}]
  machineTypes: {small: {capacity: {cpu: 8}}}
)";

/// Written as users write paths: without quotes.
const std::string base_sweep = R"(apiVersion: berth/v1
kind: Sweep
metadata: {name: s}
spec:
  experiment: {file: base.yaml}
  axes:
    - {name: mean, path: spec.workload[0].generate.arrivals.mean, values: [30s, 1m, 2m]}
    - name: policy
      variants:
        first: {spec.scheduler.profile.score: [first-fit]}
        best: {spec.scheduler.profile.score: [best-fit]}
  replications: 2
)";

void write_inputs(const Folder& folder, const std::string& sweep) {
    folder.write("base.yaml", base_experiment);
    folder.write("cluster.yaml", base_cluster);
    folder.write("sweep.yaml", sweep);
}

std::vector<std::string> points_in(const Folder& folder, const std::string& sweep) {
    std::vector<std::string> names;
    std::error_code ignored;  // of a sweep killed before it made the folder
    for (const auto& entry :
         std::filesystem::directory_iterator(folder.path() / "out" / sweep / "points", ignored)) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

std::size_t points_done(const Folder& folder, const std::string& sweep) {
    return static_cast<std::size_t>(std::ranges::count_if(
        points_in(folder, sweep),
        [](const std::string& name) { return name.find('.') == std::string::npos; }));
}

std::string points_now(const Folder& folder, Arguments more) {
    Arguments arguments{"sweep", "sweep.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return done(folder, arguments);
}

}  // namespace berth::tests
