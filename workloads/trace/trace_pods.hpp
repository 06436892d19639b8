#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/placement/level_constraints.hpp"
#include "core/tree/ids.hpp"
#include "core/tree/resources.hpp"
#include "sim/job/job.hpp"
#include "workloads/trace/trace_job.hpp"
#include "workloads/trace/trace_plan.hpp"

namespace berth::workloads {

/// The levels and servers of a cluster, for jobs that request certain ones.
struct TraceLevels {
    std::size_t count = 0;  ///< Number of levels in the cluster; 0: no job requests places.
    /// The level that a node label stands for.
    std::map<std::string, core::Level> of_label;
    /// Where pods may run, by what their specs say about nodes. Pods that may run anywhere have no
    /// entry.
    std::map<std::string, std::shared_ptr<const sim::NodeSelector>> selectors{};
};

/// Turns jobs of a trace into jobs of a run, in the resources of a cluster.
///
/// Demand for cpu and memory is left out if the cluster does not count it. GPUs count in
/// thousandths; NICs count in hundredths, as `koordinator.sh/rdma`. Jobs that request the same
/// devices share one request. For an allocator of devices, a share of a GPU is
/// `koordinator.sh/gpu`, in hundredths rounded up; it knows no models.
///
/// A level that a job requires (or prefers) becomes a hard (or soft) constraint to pack all its
/// pods into one node of that level. Placement by topology anywhere becomes a soft constraint to
/// pack them into the whole cluster.
class TracePods {
public:
    TracePods(const core::ResourceSchema& resources, TraceQuota quota, TraceLevels levels = {});

    /// The job without its times: one pod, or a group of several members that starts as a whole.
    [[nodiscard]] sim::Job job_of(const TraceJob& from);

private:
    void ask_for_devices(const TraceJob& from, sim::Job& job);
    [[nodiscard]] std::optional<core::LevelConstraints> constraints_of(
        const TraceTopology& topology) const;

    std::size_t size_;
    std::optional<std::size_t> cpu_;
    std::optional<std::size_t> memory_;
    std::optional<std::size_t> gpu_;
    std::optional<std::size_t> rdma_;
    std::optional<std::size_t> pods_;
    TraceQuota quota_;
    TraceLevels levels_;
    /// The GPUs and NICs that jobs have requested so far.
    struct Devices {
        std::shared_ptr<const core::GpuRequest> gpus;
        std::shared_ptr<const core::PodDevices> inside;
    };
    std::map<std::pair<core::GpuRequest, core::Amount>, Devices> devices_;
};

}  // namespace berth::workloads
