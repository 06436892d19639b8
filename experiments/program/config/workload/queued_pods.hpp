#pragma once

#include <optional>
#include <string>

#include "core/placement/level_constraints.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Equal pods that an object stands for until a scheduler admits it.
struct WaitingPods {
    core::Value pod;  ///< One of the pods as it would be, with the job's pod group and its queue.
    core::Members count = 1;
};

/// What a scheduler's objects in the file of an imported cluster tell about the pods there.
class QueuedPods {
public:
    virtual ~QueuedPods() = default;

    /// The queue of a pod; "" if none is told, or if the run has no such queue, which is counted.
    [[nodiscard]] virtual std::string queue_of(const core::Value& pod) = 0;
    /// Whether only this scheduler keeps the others from considering the pod.
    [[nodiscard]] virtual bool waits_for_quota(const core::Value& pod) const = 0;
    /// Whether an object that waits for quota stands for the pod.
    [[nodiscard]] virtual bool has_waiting_object(const core::Value& pod) const = 0;
    /// Where a pod asks to be placed in the levels of the cluster; nothing if it does not, or if
    /// the run has no such scheduler. Errors: recorded for a label that stands for no level.
    [[nodiscard]] virtual std::optional<core::LevelConstraints> constraints_of(
        const core::Value& pod, const core::Topology& tree) = 0;
    /// Warns once, with counts, about pods that hold no quota although they name a queue.
    virtual void warn() = 0;
};

}  // namespace berth::experiments
