#pragma once

#include <map>
#include <memory>
#include <optional>

#include "core/resources.hpp"
#include "sim/job.hpp"
#include "workloads/trace/trace_job.hpp"
#include "workloads/trace/trace_plan.hpp"

namespace berth::workloads {

/// Makes of jobs as traces have them jobs as runs have them, in the resources of a cluster.
///
/// Demand of cpu and memory that the cluster does not count is left out. GPUs count by thousandths,
/// NICs by hundredths, as `koordinator.sh/rdma`. Jobs that ask for the same GPUs share one request.
class TracePods {
public:
    TracePods(const core::ResourceSchema& resources, TraceQuota quota);

    /// All but its times: one pod, or of several members a group that starts as one.
    [[nodiscard]] sim::Job job_of(const TraceJob& from);

private:
    std::size_t size_;
    std::optional<std::size_t> cpu_;
    std::optional<std::size_t> memory_;
    std::optional<std::size_t> gpu_;
    std::optional<std::size_t> rdma_;
    TraceQuota quota_;
    std::map<core::GpuRequest, std::shared_ptr<const core::GpuRequest>> requests_;
};

}  // namespace berth::workloads
