#pragma once

#include <span>
#include <string_view>

#include "sim/profile/admission.hpp"
#include "sim/profile/job_observer.hpp"

namespace berth::experiments {

struct Scene;

/// How a scheduler tells why it keeps jobs out.
struct SchedulerWhy {
    std::string_view name;  ///< The key of what it tells, in what programs read.
    /// Fills in what waits before the job, what holds what it lacks, the changes that would let it
    /// in (see Search), and what only this scheduler can tell. Returns false if another scheduler
    /// made the inquiry.
    bool (*explain)(const sim::Turn& turn, sim::Inquiry& inquiry, Scene& scene);
};

/// Of all schedulers that have a folder `why`, in the order of schedulers/schedulers.def.
[[nodiscard]] std::span<const SchedulerWhy> scheduler_whys();

}  // namespace berth::experiments
