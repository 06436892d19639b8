#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "sim/profile/admission.hpp"
#include "sim/profile/job_observer.hpp"

namespace berth::experiments {

class Page;
struct Scene;

/// What only the scheduler that keeps a job out can tell of the moment at which it does.
class OwnScene {
public:
    virtual ~OwnScene() = default;
    /// For people, below the reason.
    virtual void add_lines(Page& page) const = 0;
    /// For programs: docs/reference/why.md.
    [[nodiscard]] virtual nlohmann::ordered_json json() const = 0;
};

/// How a scheduler tells why it keeps jobs out.
struct SchedulerWhy {
    std::string_view name;  ///< The key of its own scene in what programs read.
    /// Fills in what waits before the job, what holds what it lacks, the changes that would let it
    /// in, and the scheduler's own scene. Returns false if another scheduler made the inquiry.
    bool (*explain)(const sim::Turn& turn, sim::Inquiry& inquiry, Scene& scene);
};

/// Of all schedulers that have a folder `why`, in the order of schedulers/schedulers.def.
[[nodiscard]] std::span<const SchedulerWhy> scheduler_whys();

}  // namespace berth::experiments
