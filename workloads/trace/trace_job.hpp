#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/support/rare.hpp"
#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/dependency.hpp"

namespace berth::workloads {

/// How a job stood when its trace ended, or how it ended.
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

/// How the pods of a job are to lie in the topology of their cluster, as users of Kueue say it.
struct TraceTopology {
    enum class Asks : std::uint8_t {
        nothing,
        anywhere,   ///< Placed by topology, wherever that is.
        preferred,  ///< In one domain of the level, if there is room.
        required,   ///< In one domain of the level.
    };
    Asks asks = Asks::nothing;
    /// The label of nodes that stands for the level that is required or preferred.
    std::optional<std::string> label;

    [[nodiscard]] bool operator==(const TraceTopology&) const = default;
};

/// Another job, or all tasks of an array, after which a job comes.
struct TraceDependency {
    std::string name;
    sim::Dependency::On on = sim::Dependency::On::end;
    sim::SimTime delay{};  ///< It comes so long after that.

    [[nodiscard]] bool operator==(const TraceDependency&) const = default;
};

/// What has to hold, besides room, before a job may start; few traces tell it.
struct TraceConditions {
    /// What its pods' specs say of nodes, as node_rules() has it; empty: the format knows none.
    std::string nodes;
    std::vector<TraceDependency> after;
    /// The nodes that it has, of a job that runs when the trace is written.
    std::vector<std::string> places{};

    [[nodiscard]] bool operator==(const TraceConditions&) const = default;
};

/// One job of a trace, in one form for all formats: a pod, or equal pods that start together.
///
/// Units:  times since the trace's own zero; what the trace does not say is empty, or 0.
struct TraceJob {
    std::string name;
    std::string user;
    std::string queue;  ///< Virtual cluster, partition, namespace or queue: whose quota it is.
    /// The Kubernetes namespace in which its queue is; nothing where traces know no namespaces.
    std::optional<std::string> name_space;
    /// The application that it belongs to with other jobs (an app, an array); empty: none.
    std::string application;
    std::int32_t priority = 0;

    core::Members members = 1;      ///< Equal pods; each asks for what follows.
    core::Members members_min = 0;  ///< The job may start with so many; 0: with all alone.
    core::Amount cpu_milli = 0;
    core::Amount memory_bytes = 0;
    core::GpuRequest gpus;
    core::Amount rdma_percent = 0;    ///< How much of one NIC each pod asks for.
    std::int64_t per_server_max = 0;  ///< Pods of the application on one server; 0: no limit.

    TraceTopology topology;
    core::Rare<TraceConditions> conditions;

    std::optional<sim::SimTime> submit;
    std::optional<sim::SimTime> start;
    std::optional<sim::SimTime> finish;
    std::optional<sim::SimTime> run_time;  ///< Where the trace has it apart from start and finish.
    std::optional<sim::SimTime> time_limit;  ///< The run time that its user asked for.
    TraceStatus status = TraceStatus::unknown;

    [[nodiscard]] bool operator==(const TraceJob&) const = default;

    /// Its conditions, to be changed.
    [[nodiscard]] TraceConditions& set_conditions() {
        return conditions ? *conditions : conditions.emplace();
    }

    /// How long it ran: what the trace says, or from start to finish; nothing: it does not tell.
    [[nodiscard]] std::optional<sim::SimTime> duration() const {
        if (run_time) {
            return run_time;
        }
        return start && finish ? std::optional(*finish - *start) : std::nullopt;
    }
};

}  // namespace berth::workloads
