#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/tree/ids.hpp"
#include "core/tree/resources.hpp"
#include "core/tree/topology.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/job.hpp"
#include "workloads/failures/optimal_interval.hpp"
#include "workloads/trace/trace_plan.hpp"
#include "workloads/trace/trace_pods.hpp"
#include "workloads/trace/trace_reader.hpp"
#include "workloads/trace/trace_scan.hpp"

namespace berth::workloads {

/// How the jobs of a trace write checkpoints: all as it is said of the trace, each at the optimal
/// interval of its own where that is asked for.
class TraceCheckpoints {
public:
    /// Without `rates`, an interval that is asked for to be optimal stays 0.
    TraceCheckpoints(std::optional<sim::Checkpoint> stated,
                     std::shared_ptr<const InterruptionRates> rates);

    /// Cost: O(log kinds) a job; an interval is computed once for all that ask for the same.
    void put_in(sim::Job& job);

private:
    /// What the interruptions of a job are estimated from: its size, how many of its application
    /// may share a server, and what a member asks for.
    using Kind = std::tuple<core::Members, core::Members, sim::Demand>;

    std::optional<sim::Checkpoint> stated_;
    std::shared_ptr<const InterruptionRates> rates_;
    std::map<Kind, sim::SimTime> optimal_;
};

struct TraceReport;

/// A trace that was read once, ready for any number of replications.
struct Trace {
    std::function<std::unique_ptr<TraceReader>()> open;
    TracePlan plan;
    TraceScan scan;
    /// In the order of the plan; nothing where the file's order will do: it is read again then.
    std::shared_ptr<const std::vector<TraceJob>> jobs;
    core::ResourceSchema resources;  ///< Of the cluster.
    /// How often jobs are interrupted, where their checkpoints ask for the optimal interval.
    std::shared_ptr<const InterruptionRates> rates{};
    /// Of the cluster, with each of the scan's labels; without any, no job asks for places.
    TraceLevels levels{};
    /// What a look through all of it told, where it was had while its jobs were read; else nothing.
    std::shared_ptr<const TraceReport> report{};
};

/// Reads a trace once, and once more into memory where its jobs turn out to be unsorted.
///
/// `cluster`: for which it is looked through where it is read whole into memory, or nullptr.
/// Errors: what `open` and the reader throw.
[[nodiscard]] Trace prepare_trace(std::function<std::unique_ptr<TraceReader>()> open,
                                  const TracePlan& plan,
                                  const core::ResourceSchema& resources,
                                  const core::Topology* cluster = nullptr);

/// The jobs of a trace. What is random in it depends on the seed and the source's name alone, with
/// a stream for each change. The trace outlives its sources.
/// Cost:   memory for one job, besides what the trace holds; 56 bytes a job where the plan adds,
///         removes or moves some.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_trace_source(const Trace& trace,
                                                                std::uint64_t seed,
                                                                std::string_view name);

}  // namespace berth::workloads
