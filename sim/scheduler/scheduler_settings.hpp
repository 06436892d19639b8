#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

class RecordSink;
struct Settings;

/// What a document says about a real scheduler that decides in a run in place of a profile, about
/// the jobs that `Settings::admission` admits if there is one. It makes the scheduler of a run.
class SchedulerSettings {
public:
    SchedulerSettings() = default;
    virtual ~SchedulerSettings() = default;

    /// All arguments must outlive what is made, and so must these settings.
    [[nodiscard]] virtual std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                                    RecordSink& sink,
                                                                    Actions& actions) const = 0;

    /// The file names of the tables that it writes row by row in a run, by
    /// RecordSink::scheduler_row().
    [[nodiscard]] virtual std::vector<std::string_view> tables() const { return {}; }

    /// Why no other scheduler may admit the jobs, and what to write instead; empty if one may.
    [[nodiscard]] virtual std::string why_alone() const { return {}; }

    /// Whether the queues of jobs name something of this scheduler.
    [[nodiscard]] virtual bool reads_queues() const { return false; }

protected:
    SchedulerSettings(const SchedulerSettings&) = default;
    SchedulerSettings(SchedulerSettings&&) = default;
    SchedulerSettings& operator=(const SchedulerSettings&) = default;
    SchedulerSettings& operator=(SchedulerSettings&&) = default;
};

}  // namespace berth::sim
