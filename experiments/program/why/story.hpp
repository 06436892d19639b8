#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/why/finding.hpp"
#include "experiments/program/why/holders.hpp"
#include "experiments/program/why/scheduler_why.hpp"
#include "experiments/program/why/search.hpp"
#include "experiments/program/why/told.hpp"
#include "sim/failures/failure_source.hpp"
#include "sim/job/records.hpp"
#include "sim/meter/metric.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// The failure that took a job's places.
struct WhatFailed {
    /// The component as in failures.csv: a node of the topology, or a device in it.
    std::string component;
    std::string cause;  ///< Empty: an event that the experiment itself states.
};

/// The server that an event of the experiment took away at that time, with the job on it. At one
/// instant, these events come before all other failures.
[[nodiscard]] std::optional<WhatFailed> taken_away(const core::Topology& tree,
                                                   const sim::Settings& settings,
                                                   const sim::Eviction& eviction,
                                                   const sim::Stints& stints);

/// The outage, if it was detected at that time and includes a server that the job was on.
[[nodiscard]] std::optional<WhatFailed> failed_under(const core::Topology& tree,
                                                     const sim::Settings& settings,
                                                     const sim::Outage& outage,
                                                     const sim::Eviction& eviction,
                                                     const sim::Stints& stints);

/// The position of the job that is asked about.
struct WhyJob {
    std::uint32_t replication = 0;
    std::uint64_t number = 0;  ///< The job's number in the workload.
    /// Its number in the order of arrival, which is the same unless some jobs wait for others.
    std::uint64_t arrival = 0;
    std::string name;
    bool has_namesakes = false;  ///< Whether other jobs with the same name arrive after it.
};

/// Finds a job by its name, or by the name of one of its members, from the sources alone. Otherwise
/// it finds a job by a part of its name, if the first replication with such a job has only one.
/// Errors: core::InputError with the nearest name, or with the number of replications.
[[nodiscard]] WhyJob find_job(const ExperimentSpec& spec,
                              const std::string& name,
                              std::optional<std::uint32_t> replication);

/// Consecutive attempts that end at the same stage, for the same quota, level or job.
struct Streak {
    WhyStage stage = WhyStage::placed;
    std::string subject;
    sim::SimTime from{};
    sim::SimTime to{};
    std::uint64_t count = 0;
    std::uint64_t last = 0;    ///< The number of its last attempt, counted from 0.
    std::string first_reason;  ///< The reason at time `from`.
    std::string last_reason;   ///< The reason at time `to`.
};

/// One attempt in detail.
struct Scene {
    sim::SimTime at{};
    Finding finding;
    std::vector<std::string> waiting_before{};
    /// Jobs that started at that time, before the job had its turn.
    std::vector<std::string> started_before{};
    /// The quotas that the job meets, and the room for a group at each level.
    Told quotas{{}, nlohmann::ordered_json::array()};
    Told rooms{{}, nlohmann::ordered_json::array()};
    std::vector<HeldPlace> held{};
    Changes changes{};
    std::string_view scheduler{};  ///< The scheduler that keeps the job out, if it explains this.
    Told own{};                    ///< The part that only that scheduler can tell.
};

struct Story {
    WhyJob which;
    sim::JobRecord record;  ///< The record at the end, without its grants, which belong to the run.
    /// The indices of its GPUs, as in pods.csv, by stint and member.
    std::vector<std::vector<std::string>> gpus;
    std::vector<Streak> streaks;
    std::uint64_t attempts = 0;  ///< The number of attempts that failed.
    struct Lost {
        sim::Eviction eviction;
        sim::Stints stints;  ///< The stints that the eviction ended.
        std::optional<WhatFailed> failure{};
        std::optional<sim::SimTime> recovered{};  ///< When the job had done the lost work again.
    };
    std::vector<Lost> evictions;
    std::vector<sim::Metric> metrics;  ///< The metrics of the replication.
    std::uint64_t fingerprint = 0;
    std::optional<Scene> last;  ///< The last attempt that failed.
    /// The last attempt at the stage at which the most attempts failed, if that is another one.
    std::optional<Scene> most_common;
};

/// Runs the replication again and observes it, then once more up to the attempts that are examined
/// in detail.
/// Returns: nothing if it was interrupted.
[[nodiscard]] std::optional<Story> tell_story(const ExperimentSpec& spec,
                                              const WhyJob& which,
                                              sim::RunControl& control);

}  // namespace berth::experiments
