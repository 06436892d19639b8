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

/// A server leaves the cluster with all that runs on it, or comes (back).
struct NodeChange {
    SimTime at{};
    core::ServerId server;
    bool up = false;
};

/// Servers that are kept free for jobs that lose theirs: so many below each node of a level.
struct SpareServers {
    core::Level level;  ///< Above the servers.
    std::uint32_t count = 0;
};

/// What becomes of a job that lost its places because something failed.
struct OnFailure {
    bool keeps_place = false;  ///< In the queue, as of its first entry; else at the end.
    // Of a group, what members are left may go on at once where they are:
    bool shrinks = false;   ///< if they are min_available;
    bool replaces = false;  ///< or, before that, with others in place of those that were lost.
    /// After so many interruptions a job is dropped. Hardly any job reaches the default.
    std::uint32_t give_up_after = give_up_by_default;
    static constexpr std::uint32_t give_up_by_default = 10'000;
    std::optional<SpareServers> spares{};  ///< Where it replaces.
};

/// What a run does, besides what arrives and where.
struct Settings {
    Profile profile;
    SimTime period{};       ///< Of scheduling cycles; 0: at every arrival and departure.
    bool retry = true;      ///< Otherwise a job that does not fit at its first cycle is dropped.
    SimTime until = never;  ///< Otherwise until nothing is left.
    /// A job is stopped so long after the time that its user asked for; nothing: it runs on.
    std::optional<SimTime> limit_grace;
    SimTime sample_every{};        ///< 0: never.
    bool sample_arrivals = false;  ///< Also after each arrival.
    bool attainable = false;       ///< Ask the exact solver what each group could have had.
    Window window;                 ///< What metrics are about.
    std::optional<QuotaSettings> quotas;
    /// Another system that admits jobs, in place of `quotas`; nullptr: there is none.
    std::shared_ptr<const AdmissionSettings> admission;
    double lost_work = 1;  ///< Of what an evicted pod did since it started, to be done again.
    OnFailure on_failure;
    bool checkpoints = false;            ///< Some job may write checkpoints.
    std::vector<SlowDown> run_time;      ///< By class; empty: jobs run as long as their work takes.
    std::vector<core::ServerId> absent;  ///< Servers that are not there when the run begins.
    std::vector<NodeChange> node_changes;  ///< By time.
    /// The causes of what a FailureSource has fail; empty: the run has no such source.
    std::vector<std::string> failure_causes;
    SimTime detection{};  ///< So long what such a source has fail is not known to be out.

    std::vector<DrainWindow> drains;  ///< By their beginnings; no two of one server overlap.

    /// Whether a server may leave, with all that runs there.
    [[nodiscard]] bool servers_may_leave() const {
        return !node_changes.empty() || !failure_causes.empty() || !drains.empty() ||
               on_failure.spares;
    }

    /// Whether a job may be dropped, other than one that was interrupted as often as hardly any is.
    [[nodiscard]] bool may_drop() const {
        return !retry || admission != nullptr ||
               (servers_may_leave() && on_failure.give_up_after < OnFailure::give_up_by_default);
    }

    /// Whether a run tells work that lasts from time without gain.
    [[nodiscard]] bool tells_gain() const {
        return checkpoints || !failure_causes.empty() || !drains.empty();
    }

    /// When quotas, or the objects of `admission`, change, in the order of the changes' numbers.
    [[nodiscard]] std::vector<SimTime> quota_changes() const;

    /// Those of the absent that no change brings, in the order of their numbers: they are no part
    /// of the cluster.
    [[nodiscard]] std::vector<core::ServerId> left_out() const;
};

}  // namespace berth::sim
