#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/why/changes.hpp"
#include "experiments/program/why/finding.hpp"
#include "experiments/program/why/holders.hpp"
#include "experiments/program/why/scheduler_why.hpp"
#include "sim/failures/failure_source.hpp"
#include "sim/job/records.hpp"
#include "sim/meter/metric.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What took a job's places away.
struct WhatFailed {
    std::string component;  ///< As in failures.csv: a node of the topology, or a device in it.
    std::string cause;      ///< Empty: an event of the experiment's own.
};

/// The server that an event of the experiment took away at that time, with the job on it. At one
/// instant these come before all other failures.
[[nodiscard]] std::optional<WhatFailed> taken_away(const core::Topology& tree,
                                                   const sim::Settings& settings,
                                                   const sim::Eviction& eviction,
                                                   const sim::Stints& stints);

/// The outage, if it became known at that time and holds a server that the job was on.
[[nodiscard]] std::optional<WhatFailed> failed_under(const core::Topology& tree,
                                                     const sim::Settings& settings,
                                                     const sim::Outage& outage,
                                                     const sim::Eviction& eviction,
                                                     const sim::Stints& stints);

/// Where the job that is asked about stands among those that arrive.
struct WhyJob {
    std::uint32_t replication = 0;
    std::uint64_t number = 0;   ///< Of the workload.
    std::uint64_t arrival = 0;  ///< Among those that arrive; the same unless some wait for others.
    std::string name;
    bool has_namesakes = false;  ///< Others of this name arrive after it.
};

/// Finds a job by its name, or by that of one of its members, by the sources alone; or else by a
/// part of its name, where the first replication that has one has no other.
/// Errors: core::InputError with the nearest name; or with how many replications there are.
[[nodiscard]] WhyJob find_job(const ExperimentSpec& spec,
                              const std::string& name,
                              std::optional<std::uint32_t> replication);

/// Attempts that follow each other and end at the same stage, for the same quota, level or job.
struct Streak {
    WhyStage stage = WhyStage::placed;
    std::string subject;
    sim::SimTime from{};
    sim::SimTime to{};
    std::uint64_t count = 0;
    std::uint64_t last = 0;    ///< The number of its last attempt, from 0.
    std::string first_reason;  ///< At `from`.
    std::string last_reason;   ///< At `to`.
};

/// One attempt, looked at closely.
struct Scene {
    sim::SimTime at{};
    Finding finding;
    std::vector<std::string> waiting_before;
    std::vector<std::string> started_before;  ///< At that time, before it had its turn.
    std::vector<QuotaLine> quotas;
    std::vector<LevelRoom> rooms;
    std::vector<HeldPlace> held;
    Changes changes;
    std::string_view scheduler{};  ///< The one that keeps it out, where it has a scene of its own.
    std::shared_ptr<const OwnScene> own{};
};

struct Story {
    WhyJob which;
    sim::JobRecord record;  ///< At the end; without its grants, which are the run's.
    /// The indices of its GPUs, as pods.csv has them, by stint and member.
    std::vector<std::vector<std::string>> gpus;
    std::vector<Streak> streaks;
    std::uint64_t attempts = 0;  ///< That failed.
    struct Lost {
        sim::Eviction eviction;
        sim::Stints stints;  ///< That it ended.
        std::optional<WhatFailed> failure{};
        std::optional<sim::SimTime> recovered{};  ///< When it had done as much work again.
    };
    std::vector<Lost> evictions;
    std::vector<sim::Metric> metrics;  ///< Of the replication.
    std::uint64_t fingerprint = 0;
    std::optional<Scene> last;         ///< Of the attempts that failed, the last.
    std::optional<Scene> most_common;  ///< The last at the stage that most failed at, if another.
};

/// Runs the replication again with somebody watching, and once more up to the attempts that are
/// looked at closely.
/// Returns: nothing when it was interrupted.
[[nodiscard]] std::optional<Story> tell_story(const ExperimentSpec& spec,
                                              const WhyJob& which,
                                              sim::RunControl& control);

}  // namespace berth::experiments
