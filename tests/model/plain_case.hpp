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

/// The schema of a case consists of the first of these resources, as many as it needs.
inline constexpr std::array<const char*, 4> resource_names{
    "cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"};
/// Whether amounts of a resource are in bytes; otherwise they are in thousandths.
[[nodiscard]] constexpr bool is_in_bytes(std::size_t resource) {
    return resource == 1 || resource == 3;
}

/// A cluster as plain numbers: levels below the root, the last of which consists of servers.
struct PlainTree {
    std::vector<std::vector<core::Amount>> types;  ///< Capacities of machine types, by resource.
    /// For each level below the root, the number of each node's parent in the level above.
    std::vector<std::vector<std::uint32_t>> parents;
    std::vector<std::uint32_t> type_of;              ///< Machine type of each server.
    std::vector<core::DeviceGroup> gpus;             ///< GPUs by type; empty: none.
    std::vector<core::DeviceGroup> nics;             ///< NICs by type; empty: none.
    std::vector<std::int64_t> numa_nodes{};          ///< NUMA nodes by type; empty: no providers.
    std::vector<std::vector<std::string>> traits{};  ///< Traits by type; empty: no providers.
    std::vector<core::SharedProvider> shared{};

    [[nodiscard]] std::size_t servers() const { return type_of.size(); }
    [[nodiscard]] std::shared_ptr<const core::Topology> topology() const;
};

/// One experiment that is small enough to be read: the input of a run and of its plain model.
struct PlainCase {
    PlainTree tree;
    std::vector<std::vector<core::Amount>> outside;  ///< Amounts in use before the run, by server.
    std::vector<sim::Job> jobs;                      ///< Jobs by submit time.
    std::string queue = "fifo";
    std::string order = "fifo";  ///< Order of a queue that backfills.
    std::size_t depth = 0;       ///< Depth of a queue that backfills; 0: default.
    sim::SimTime half_life{1};   ///< Half-life of fair-share.
    /// Score plug-ins with their weights.
    std::vector<std::pair<std::string, std::int64_t>> score{{"first-fit", 1}};
    std::int64_t lost_quarters = 4;     ///< Quarters of the work lost by an eviction.
    std::int64_t typical_percent = 95;  ///< Percent of pods that are typical.
    /// All other settings; the queue, the score and the lost work are those above.
    sim::Settings settings;

    /// The complete settings for sim::Simulation.
    [[nodiscard]] sim::Settings all_settings() const;
};

}  // namespace berth::tests
