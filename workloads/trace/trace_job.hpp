#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/support/rare.hpp"
#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/dependency.hpp"
#include "sim/job/training.hpp"

namespace berth::workloads {

/// The status of a job when its trace ended, or how the job ended.
enum class TraceStatus : std::uint8_t {
    unknown,
    pending,
    running,
    completed,
    failed,
    cancelled,
    timed_out,
    node_failed,
};

/// How the pods of a job must lie in the topology of their cluster, as users state it.
struct TraceTopology {
    enum class Asks : std::uint8_t {
        nothing,
        anywhere,   ///< Placed by topology, at any place.
        preferred,  ///< Placed in one domain of the level, if possible.
        required,   ///< Placed in one domain of the level.
    };
    Asks asks = Asks::nothing;
    /// The node label of the level that is required or preferred.
    std::optional<std::string> label;

    [[nodiscard]] bool operator==(const TraceTopology&) const = default;
};

/// A job, or all tasks of an array, that must come before another job.
struct TraceDependency {
    std::string name;
    sim::Dependency::On on = sim::Dependency::On::end;
    sim::SimTime delay{};  ///< The waiting job comes this long after it.

    [[nodiscard]] bool operator==(const TraceDependency&) const = default;
};

/// What must be fulfilled, besides room, before a job may start. Few traces tell it.
struct TraceConditions {
    /// What the specs of its pods say about nodes, as node_rules() writes it; empty: the format
    /// does not tell.
    std::string nodes;
    std::vector<TraceDependency> after;
    /// The nodes of a job that still runs when the trace is written.
    std::vector<std::string> places{};
    /// For a job that waits or still runs: a time that had come when the trace was written, by its
    /// submit time, or by its start and how long it ran.
    std::optional<sim::SimTime> seen{};

    [[nodiscard]] bool operator==(const TraceConditions&) const = default;
};

/// One job of a trace, in one form for all formats: a pod, or equal pods that start together.
///
/// Units:  times since the trace's own zero; a value that the trace does not tell is empty, or 0.
struct TraceJob {
    std::string name;
    std::string user;
    std::string queue;  ///< The virtual cluster, partition, namespace or queue whose quota the job
                        ///< uses.
    /// The Kubernetes namespace of its queue; nothing if the traces know no namespaces.
    std::optional<std::string> name_space;
    /// The application (an app, an array) that it shares with other jobs; empty: none.
    std::string application;
    std::int32_t priority = 0;

    core::Members members = 1;      ///< Number of equal pods; each requests the amounts below.
    core::Members members_min = 0;  ///< The job may start with this many members; 0: only with all.
    core::Amount cpu_milli = 0;
    core::Amount memory_bytes = 0;
    core::GpuRequest gpus;
    core::Amount rdma_percent = 0;    ///< Percentage of one NIC that each pod requests.
    std::int64_t per_server_max = 0;  ///< Maximum of the application's pods on one server; 0: no
                                      ///< limit.

    TraceTopology topology;
    core::Rare<TraceConditions> conditions;

    std::optional<sim::SimTime> submit;
    std::optional<sim::SimTime> start;
    std::optional<sim::SimTime> finish;
    std::optional<sim::SimTime> run_time;  ///< Set if the trace tells it separately from start and
                                           ///< finish.
    std::optional<sim::SimTime> time_limit;  ///< The run time that its user requested.
    TraceStatus status = TraceStatus::unknown;
    /// Set if its work is a number of steps; its run time is then what is predicted.
    std::shared_ptr<const sim::TrainingPlan> training{};

    [[nodiscard]] bool operator==(const TraceJob&) const = default;

    /// Returns the conditions, for changes.
    [[nodiscard]] TraceConditions& set_conditions() {
        return conditions ? *conditions : conditions.emplace();
    }

    /// How long it ran, as the trace tells or from start to finish; nothing if that is not known.
    [[nodiscard]] std::optional<sim::SimTime> duration() const {
        if (run_time) {
            return run_time;
        }
        return start && finish ? std::optional(*finish - *start) : std::nullopt;
    }
};

}  // namespace berth::workloads
