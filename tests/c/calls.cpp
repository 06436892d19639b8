#include "c/calls.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace berth::tests {

Handle opened() {
    berth_handle* handle = nullptr;
    REQUIRE(berth_open(BERTH_INTERFACE_VERSION, &handle) == BERTH_OK);
    REQUIRE(handle != nullptr);
    return Handle(handle);
}

Handle opened(const std::string& experiment, const std::vector<std::string>& changes) {
    Handle handle = opened();
    for (const std::string& change : changes) {
        REQUIRE(berth_set(handle.get(), change.c_str()) == BERTH_OK);
    }
    const int status = berth_read_text(handle.get(), experiment.c_str(), "e.yaml");
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OK);
    return handle;
}

std::string said(const Handle& handle) {
    const std::string message = berth_message(handle.get());
    return message.substr(0, message.find('\n'));
}

std::string file_of(const Handle& handle, const std::string& name) {
    const char* bytes = nullptr;
    std::size_t size = 0;
    INFO(name);
    REQUIRE(berth_file(handle.get(), name.c_str(), &bytes, &size) == BERTH_OK);
    return {bytes, size};
}

std::vector<std::string> files_of(const Handle& handle) {
    std::vector<std::string> files;
    for (std::size_t i = 0; berth_file_name(handle.get(), i) != nullptr; ++i) {
        const std::string name = berth_file_name(handle.get(), i);
        if (name != "run.json") {
            files.push_back(name + "\n" + file_of(handle, name));
        }
    }
    return files;
}

double metric_of(const Handle& handle, const std::string& name) {
    double mean = 0;
    INFO(name);
    REQUIRE(berth_metric(handle.get(), name.c_str(), &mean) == BERTH_OK);
    return mean;
}

std::vector<berth_place> first_fit(const berth_cluster& cluster,
                                   const std::int64_t* free,
                                   const berth_job& job) {
    std::vector<berth_place> places;
    std::int64_t left = job.size;
    for (std::size_t server = 0; server < cluster.server_count && left > 0; ++server) {
        std::int64_t here = left;
        for (std::size_t r = 0; r < cluster.resource_count; ++r) {
            if (job.demand[r] > 0) {
                here = std::min(here, free[server * cluster.resource_count + r] / job.demand[r]);
            }
        }
        if (here > 0) {
            places.push_back({static_cast<std::int64_t>(server), here});
            left -= here;
        }
    }
    return left == 0 ? places : std::vector<berth_place>();
}

void run_first_fit(const Handle& handle) {
    berth_cluster cluster{};
    REQUIRE(berth_get_cluster(handle.get(), &cluster) == BERTH_OK);
    REQUIRE(berth_begin(handle.get(), nullptr) == BERTH_OK);
    berth_view view{};
    int status = BERTH_OK;
    while ((status = berth_step(handle.get(), &view)) == BERTH_OK) {
        for (const berth_job& job : waiting(view)) {
            const std::vector<berth_place> places = first_fit(cluster, view.free, job);
            if (places.empty()) {
                break;
            }
            REQUIRE(berth_start(handle.get(), job.number, places.data(), places.size()) ==
                    BERTH_OK);
        }
    }
    INFO(berth_message(handle.get()));
    REQUIRE(status == BERTH_OVER);
}

const std::string queue_of_the_caller = R"(kind: Experiment
metadata: {name: queue}
spec:
  topology:
    spec:
      levels: [{name: server, count: 4}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}, six: {cpu: 6}}
  scheduler: {caller: first_fit}
  workload:
    - generate:
        count: 200
        arrivals: {distribution: exponential, mean: 5m}
        service: {distribution: exponential, mean: 1h}
        mix: [{type: one}, {type: six}]
)";

const std::string two_pods = R"(kind: Experiment
metadata: {name: two}
spec:
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {three: {cpu: 3}}
  scheduler: {caller: test}
  workload:
    - pods:
        - {name: a, type: three, lifetime: 10s, priority: 7, estimate: 20s}
        - {name: b, type: three, lifetime: 10s, at: 5s}
)";

}  // namespace berth::tests
