#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/gpu_shares/gpu_request.hpp"
#include "core/machine_allocators/pod_devices.hpp"
#include "core/placement/level_constraints.hpp"
#include "core/support/compact_vector.hpp"
#include "core/support/rare.hpp"
#include "core/tree/ids.hpp"
#include "sim/clock/optional_time.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/demand.hpp"
#include "sim/job/dependency.hpp"
#include "sim/job/label.hpp"
#include "sim/job/node_selector.hpp"
#include "sim/job/training.hpp"

namespace berth::sim {

/// A change of a running group's size.
struct Resize {
    SimTime at{};  ///< Simulated time.
    core::Members size = 0;
};

/// What a pod asks of resource providers.
struct PodQuery {
    /// Text that core::parse_candidate_query() reads; pods with the same text ask for the same.
    std::string text;
    core::CandidateQuery query;
};

/// What arrives: a pod, or a group of equal pods that starts as one (a gang).
struct Job {
    std::string name;
    Label quota;       ///< The quota that the pod's label names; empty: chosen by its namespace.
    Label name_space;  ///< Its Kubernetes namespace.
    std::int32_t priority = 0;
    bool preemptible = true;
    /// A group is placed as one under its constraints; a single pod goes where the profile's score
    /// plug-ins send it.
    bool group = false;
    Demand demand;  ///< What one pod asks for.
    /// The devices that one pod asks for; nullptr: it asks for no particular devices.
    std::shared_ptr<const core::PodDevices> devices;
    /// What one pod asks for, in a run that looks for allocation candidates; nullptr: it asks for
    /// no provider. Its demand is then as core::ProviderTerms says.
    std::shared_ptr<const PodQuery> query{};
    /// What one pod asks for, in a run that shares GPUs; nullptr: it asks for no GPU.
    std::shared_ptr<const core::GpuRequest> gpus{};
    std::shared_ptr<const NodeSelector> nodes{};  ///< nullptr: its pods may run anywhere.
    Label user{};
    Label type{};  ///< The pod type that states its demand; empty: the job states it itself.
    /// Jobs of one application share its limit of pods per server; empty: the job belongs to none.
    Label application{};
    core::Members per_server_max = 0;  ///< Most pods of the application on one server; 0: no limit.
    Label job_class{};  ///< The class whose slow-downs apply to it; empty: the first class.
    /// For a job that already runs when it arrives: the server of each member. No scheduler
    /// chose these places. If one of the servers has no room, the job waits like any
    /// other.
    core::Rare<std::vector<core::ServerId>> servers{};
    SimTime submit{};
    OptionalTime duration;  ///< Nothing: it runs until the run ends.
    /// How long its user says that it runs; nothing: the user does not say.
    OptionalTime estimate{};
    /// Nothing: an interruption loses the share Settings::lost_work of the work done.
    core::Rare<Checkpoint> checkpoint{};
    /// Set if its work is a number of steps. Its duration is then what is predicted.
    core::Rare<Training> training{};

    core::Members size = 1;
    core::Members min_available = 1;  ///< A group starts when this many members can.
    core::Rare<core::LevelConstraints> constraints;
    core::CompactVector<Resize> resizes;  ///< Changes of size, in order of time.
    core::Rare<Ties> ties{};              ///< Nothing: it has no ties to other jobs.

    /// How long it is expected to run when it starts next, as expected_run() says; kept up to date
    /// while it waits.
    SimTime expected = never;

    /// How long it is thought to run: its user's estimate, or its duration if there is none.
    [[nodiscard]] OptionalTime stated_duration() const { return estimate ? estimate : duration; }

    /// The text of its NodeSelector: the same text selects the same servers.
    [[nodiscard]] std::string_view selector() const {
        return nodes != nullptr ? std::string_view(nodes->text()) : std::string_view();
    }

    /// What it asks for inside its server, besides amounts; the same text asks for the same.
    [[nodiscard]] std::string_view inside() const {
        return devices != nullptr ? devices->text
               : query != nullptr ? std::string_view(query->text)
                                  : std::string_view();
    }
};

/// Where jobs come from.
class PodSource {
public:
    virtual ~PodSource() = default;
    /// The next job, or nothing after the last. Submit times never go back.
    virtual std::optional<Job> next() = 0;
};

}  // namespace berth::sim
