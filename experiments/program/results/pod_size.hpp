#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "experiments/program/results/cluster.hpp"

namespace berth::report {

/// The size of a pod: its GPUs if pods have GPUs, otherwise its amount of the first resource.
class PodSize {
public:
    explicit PodSize(const Cluster& cluster) : cluster_(cluster) {
        const auto found = std::ranges::find_if(cluster.resources, [](const std::string& name) {
            return name.find("gpu") != std::string::npos;
        });
        if (found != cluster.resources.end()) {
            resource_ = static_cast<std::size_t>(found - cluster.resources.begin());
        }
    }

    [[nodiscard]] const std::string& resource() const { return cluster_.resources[resource_]; }
    /// The size in thousandths; 0 if it is not known.
    [[nodiscard]] std::int64_t thousandths(const PodRow& pod) const {
        const std::vector<double>& demand = cluster_.demands[pod.demand];
        return demand.empty() ? std::int64_t{1000} * std::popcount(pod.gpus)
                              : std::llround(demand[resource_] * 1000);
    }

private:
    const Cluster& cluster_;
    std::size_t resource_ = 0;
};

}  // namespace berth::report
