#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/failures/drain_window.hpp"
#include "sim/job/run_time_model.hpp"
#include "sim/profile/profile.hpp"
#include "sim/quota/quota_settings.hpp"

namespace berth::sim {

class AdmissionSettings;
class SchedulerSettings;

/// A server leaves the cluster with all that runs on it, or comes (back).
struct NodeChange {
    SimTime at{};
    core::ServerId server;
    bool up = false;
};

/// Servers that are kept free for jobs that lose theirs: `count` below each node of `level`.
struct SpareServers {
    core::Level level;  ///< A level above the servers.
    std::uint32_t count = 0;
};

/// What becomes of a job that lost its places because something failed.
struct OnFailure {
    bool keeps_place = false;  ///< Whether it keeps its place in the queue, that of its first
                               ///< entry; otherwise it goes to the end.
    /// Whether the remaining members of a group go on at once where they are if there are at least
    /// min_available of them.
    bool shrinks = false;
    /// Whether, before that, a group goes on at once with other members in place of the lost ones.
    bool replaces = false;
    /// A job is dropped after this many interruptions. Hardly any job reaches the default.
    std::uint32_t give_up_after = give_up_by_default;
    static constexpr std::uint32_t give_up_by_default = 10'000;
    std::optional<SpareServers> spares{};  ///< Used only with `replaces`.
};

/// What a run does, apart from which jobs arrive and where.
struct Settings {
    Profile profile;
    SimTime period{};       ///< Period of scheduling cycles; 0: at every arrival and departure.
    bool retry = true;      ///< Otherwise a job that does not fit in its first cycle is dropped.
    SimTime until = never;  ///< When the run ends; `never`: when nothing is left.
    /// A job is stopped this long after the time that its user asked for; nothing: it runs on.
    std::optional<SimTime> limit_grace;
    SimTime sample_every{};        ///< Period of samples; 0: never.
    bool sample_arrivals = false;  ///< Whether to sample after each arrival, too.
    bool attainable = false;       ///< Whether to ask the exact solver what each group could have
                                   ///< had.
    Window window;                 ///< The time that metrics are about.
    /// Waits of which the share of jobs that wait longer is a metric; distinct.
    std::vector<SimTime> waits_over;
    std::optional<QuotaSettings> quotas;
    /// Another system that admits jobs, in place of `quotas`; nullptr: there is none.
    std::shared_ptr<const AdmissionSettings> admission;
    /// A real scheduler that places jobs in place of `profile`; nullptr: there is none.
    std::shared_ptr<const SchedulerSettings> scheduler;
    double lost_work = 1;  ///< Share of the work since its start that an evicted pod has to do
                           ///< again.
    OnFailure on_failure;
    bool checkpoints = false;            ///< Whether some job may write checkpoints.
    bool training = false;               ///< Whether the work of any job is a number of steps.
    std::vector<SlowDown> run_time;      ///< Slow-downs by class; empty: jobs run as long as their
                                         ///< work takes.
    std::vector<core::ServerId> absent;  ///< Servers that are not there when the run begins.
    std::vector<NodeChange> node_changes;  ///< Changes of servers, in order of time.
    /// The causes of the failures that a FailureSource makes; empty: the run has no such source.
    std::vector<std::string> failure_causes;
    SimTime detection{};  ///< How long a failure from such a source stays undetected.

    std::vector<DrainWindow> drains;  ///< Windows in order of their beginnings; no two windows of
                                      ///< one server overlap.

    /// Whether a server may leave, together with all that runs there.
    [[nodiscard]] bool servers_may_leave() const {
        return !node_changes.empty() || !failure_causes.empty() || !drains.empty() ||
               on_failure.spares;
    }

    /// Whether a job may be dropped, other than for a number of interruptions that hardly any job
    /// reaches.
    [[nodiscard]] bool may_drop() const {
        return !retry || admission != nullptr ||
               (servers_may_leave() && on_failure.give_up_after < OnFailure::give_up_by_default);
    }

    /// Whether a run distinguishes work that lasts from time without gain.
    [[nodiscard]] bool tells_gain() const {
        return checkpoints || training || !failure_causes.empty() || !drains.empty();
    }

    /// When quotas, or the objects of `admission`, change, in the order of the changes' numbers.
    [[nodiscard]] std::vector<SimTime> quota_changes() const;

    /// The absent servers that no change brings up, in the order of their numbers: they are not
    /// part of the cluster.
    [[nodiscard]] std::vector<core::ServerId> left_out() const;
};

}  // namespace berth::sim
