#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/trace_origin.hpp"

namespace berth::experiments {

/// A workload by itself, or that of an experiment. A `kind: Workload` has no cluster, so its groups
/// may name any level, and its resources are those of its types.
struct WorkloadFile {
    std::shared_ptr<const core::Topology> topology;
    std::uint64_t seed = 1;
    std::vector<WorkloadSource> sources;
    /// Servers that take no pods, which are not part of the cluster, in the order of their numbers.
    std::vector<core::ServerId> left_out{};
    bool has_cluster = false;  ///< Whether it is from an experiment, so that `topology` is real.
};

/// `kinds`: which of Workload and Experiment are meant, if the file has documents of both.
/// Errors: recorded, or InputError for a file that cannot be read at all.
[[nodiscard]] WorkloadFile read_workload_file(const std::filesystem::path& file,
                                              core::Diagnostics& diagnostics,
                                              const std::vector<std::string>& kinds = {
                                                  "Workload", "Experiment"});

/// A trace by itself, as a Workload with no other source.
/// Errors: recorded, or InputError for a trace that cannot be read.
[[nodiscard]] WorkloadFile workload_of_trace(const TraceOrigin& origin,
                                             core::Diagnostics& diagnostics);

/// A tree of one server, with every level that a document names and the resources of a schema, for
/// checking documents without a cluster.
[[nodiscard]] core::Topology imagined_topology(const core::Value& document,
                                               const core::ResourceSchema& resources);

}  // namespace berth::experiments
