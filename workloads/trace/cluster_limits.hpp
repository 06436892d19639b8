#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "workloads/trace/trace_findings.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// What a cluster can hold at most, to tell whether a job could ever run there.
///
/// Cost: O(kinds of servers) a job.
class ClusterLimits {
public:
    explicit ClusterLimits(const core::Topology& tree);

    /// Why the job could not run if the cluster were empty; nothing: it could.
    [[nodiscard]] std::optional<TraceFault> obstacle(const TraceJob& job) const;

    /// Units:  milli-CPU, bytes, milli-GPU; nothing for what the cluster does not count.
    [[nodiscard]] std::optional<double> cpu() const { return cpu_; }
    [[nodiscard]] std::optional<double> memory() const { return memory_; }
    /// Of the models; of all without any.
    [[nodiscard]] double gpus(const std::vector<std::string>& models) const;

private:
    /// Servers that are alike in what matters here.
    struct Kind {
        core::Amount cpu_milli = 0;
        core::Amount memory_bytes = 0;
        std::vector<std::pair<std::string, std::int64_t>> gpus;  ///< By model; "": not told.
        std::int64_t servers = 0;
    };
    [[nodiscard]] static std::int64_t accepted_gpus(const Kind& kind,
                                                    const std::vector<std::string>& models);
    [[nodiscard]] static core::Members room_on(const Kind& kind, const TraceJob& job);

    std::vector<Kind> kinds_;
    std::optional<double> cpu_;
    std::optional<double> memory_;
};

}  // namespace berth::workloads
