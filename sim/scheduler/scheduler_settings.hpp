#pragma once

#include <memory>

#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

struct Settings;

/// What a document says about a real scheduler that decides everything in a run, in place of a
/// profile. It makes the scheduler of a run.
class SchedulerSettings {
public:
    SchedulerSettings() = default;
    virtual ~SchedulerSettings() = default;

    /// All arguments must outlive what is made, and so must these settings.
    [[nodiscard]] virtual std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                                    Actions& actions) const = 0;

protected:
    SchedulerSettings(const SchedulerSettings&) = default;
    SchedulerSettings(SchedulerSettings&&) = default;
    SchedulerSettings& operator=(const SchedulerSettings&) = default;
    SchedulerSettings& operator=(SchedulerSettings&&) = default;
};

}  // namespace berth::sim
