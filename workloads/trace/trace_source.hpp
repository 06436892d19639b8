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

/// How the jobs of a trace write checkpoints: all as stated for the trace, but each at its own
/// optimal interval if that is asked for.
class TraceCheckpoints {
public:
    /// Without `rates`, an interval that shall be optimal stays 0.
    TraceCheckpoints(std::optional<sim::Checkpoint> stated,
                     std::shared_ptr<const InterruptionRates> rates);

    /// Sets the checkpoint of a job.
    /// Cost: O(log kinds) for each job; an interval is computed once for all jobs of a kind.
    void put_in(sim::Job& job);

private:
    /// What the interruptions of a job are estimated from: its size, the maximum of its
    /// application's pods on a server, and the demand of a member.
    using Kind = std::tuple<core::Members, core::Members, sim::Demand>;

    std::optional<sim::Checkpoint> stated_;
    std::shared_ptr<const InterruptionRates> rates_;
    std::map<Kind, sim::SimTime> optimal_;
};

struct TraceReport;

/// A trace that was read once and is ready for any number of replications.
struct Trace {
    std::function<std::unique_ptr<TraceReader>()> open;
    TracePlan plan;
    TraceScan scan;
    /// The jobs in the plan's order; nullptr if the file's order is the plan's: the file is then
    /// read again.
    std::shared_ptr<const std::vector<TraceJob>> jobs;
    core::ResourceSchema resources;  ///< Resources of the cluster.
    /// How often jobs are interrupted; set if their checkpoints ask for the optimal interval.
    std::shared_ptr<const InterruptionRates> rates{};
    /// Levels of the cluster, with each of the scan's labels; without any level, no job requests
    /// places.
    TraceLevels levels{};
    /// The report on the whole trace, if it was made while the jobs were read; otherwise nullptr.
    std::shared_ptr<const TraceReport> report{};
};

/// Reads a trace once, and once more into memory if its jobs turn out to be unsorted.
///
/// `cluster`: the cluster for which a trace that is read into memory as a whole is examined, or
/// nullptr.
/// Errors: those of `open` and of the reader.
[[nodiscard]] Trace prepare_trace(std::function<std::unique_ptr<TraceReader>()> open,
                                  const TracePlan& plan,
                                  const core::ResourceSchema& resources,
                                  const core::Topology* cluster = nullptr);

/// The jobs of a trace. Its random choices depend only on the seed and the source's name, with a
/// stream for each change. The trace must outlive its sources.
/// Cost:   memory for one job, besides the trace itself; 56 bytes for each job if the plan adds,
///         removes or moves jobs.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_trace_source(const Trace& trace,
                                                                std::uint64_t seed,
                                                                std::string_view name);

}  // namespace berth::workloads
