#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/settings.hpp"

namespace berth::tests {

/// The schema of a case is as many of these as it needs.
inline constexpr std::array<const char*, 4> resource_names{
    "cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"};
/// Else in thousandths.
[[nodiscard]] constexpr bool is_in_bytes(std::size_t resource) {
    return resource == 1 || resource == 3;
}

/// A cluster as plain numbers: levels below the root, the last of them of servers.
struct PlainTree {
    std::vector<std::vector<core::Amount>> types;  ///< Capacities of machine types, by resource.
    /// By level below the root: of each node, the number of its parent in the level above it.
    std::vector<std::vector<std::uint32_t>> parents;
    std::vector<std::uint32_t> type_of;              ///< By server.
    std::vector<core::DeviceGroup> gpus;             ///< By type, if there are any.
    std::vector<core::DeviceGroup> nics;             ///< The same.
    std::vector<std::int64_t> numa_nodes{};          ///< By type, where there are providers.
    std::vector<std::vector<std::string>> traits{};  ///< The same.
    std::vector<core::SharedProvider> shared{};

    [[nodiscard]] std::size_t servers() const { return type_of.size(); }
    [[nodiscard]] std::shared_ptr<const core::Topology> topology() const;
};

/// One experiment, small enough to be read: what a run and the plain model of it both take.
struct PlainCase {
    PlainTree tree;
    std::vector<std::vector<core::Amount>> outside;  ///< In use before the run, by server.
    std::vector<sim::Job> jobs;                      ///< By submit time.
    std::string queue = "fifo";
    std::string order = "fifo";  ///< Of a queue that fills holes.
    std::size_t depth = 0;       ///< The same; 0: as it is by default.
    sim::SimTime half_life{1};   ///< Of fair-share.
    std::vector<std::pair<std::string, std::int64_t>> score{{"first-fit", 1}};  ///< And weights.
    std::int64_t lost_quarters = 4;     ///< Of the work that an eviction costs.
    std::int64_t typical_percent = 95;  ///< Of the pods, where GPUs are shared.
    /// All else; its queue, its score and its lost work are what is said above.
    sim::Settings settings;

    /// For sim::Simulation.
    [[nodiscard]] sim::Settings all_settings() const;
};

}  // namespace berth::tests
