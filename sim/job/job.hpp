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

namespace berth::sim {

/// A change of a running group's size.
struct Resize {
    SimTime at{};  ///< Simulated time.
    core::Members size = 0;
};

/// What a pod asks of resource providers.
struct PodQuery {
    /// As core::parse_candidate_query() reads it; pods with one text ask for the same.
    std::string text;
    core::CandidateQuery query;
};

/// What arrives: a pod, or a group of equal pods that starts as one (a gang).
struct Job {
    std::string name;
    Label quota;       ///< As its label says; empty: by its namespace.
    Label name_space;  ///< Of Kubernetes.
    std::int32_t priority = 0;
    bool preemptible = true;
    /// A group is placed as one under its constraints; a single pod goes where the profile's score
    /// plug-ins send it.
    bool group = false;
    Demand demand;  ///< What one pod asks for.
    /// Of one pod; nothing: it asks for no particular devices.
    std::shared_ptr<const core::PodDevices> devices;
    /// Of one pod, in a run that looks for allocation candidates; nothing: it asks for no provider.
    /// Its demand is then what core::ProviderTerms says.
    std::shared_ptr<const PodQuery> query{};
    /// Of one pod, in a run that shares GPUs; nothing: it asks for none.
    std::shared_ptr<const core::GpuRequest> gpus{};
    std::shared_ptr<const NodeSelector> nodes{};  ///< Nothing: its pods may run anywhere.
    Label user{};
    Label type{};  ///< The pod type that states its demand; empty: it states that itself.
    /// Jobs of one application share its limit of pods a server; empty: it belongs to none.
    Label application{};
    core::Members per_server_max = 0;  ///< Of the application's pods on one server; 0: no limit.
    Label job_class{};  ///< The class whose slow-downs apply to it; empty: the first.
    /// For a job that already runs when it arrives: the server of each member, no two of one. No
    /// scheduler chose the places. If a server has no room, it waits like any other.
    core::Rare<std::vector<core::ServerId>> servers{};
    SimTime submit{};
    OptionalTime duration;  ///< Nothing: it runs until the run ends.
    /// How long its user says that it runs; nothing: the user says nothing.
    OptionalTime estimate{};
    /// Nothing: what an interruption loses is Settings::lost_work of what was done.
    core::Rare<Checkpoint> checkpoint{};

    core::Members size = 1;
    core::Members min_available = 1;  ///< A group starts when so many members can.
    core::Rare<core::LevelConstraints> constraints;
    core::CompactVector<Resize> resizes;  ///< By time.
    core::Rare<Ties> ties{};              ///< Nothing: it has to do with no other job.

    /// How long it is expected to run when it starts next: what expected_run() says, kept up to
    /// date while it waits.
    SimTime expected = never;

    /// How long it is thought to run: its user's estimate, or else its duration.
    [[nodiscard]] OptionalTime stated_duration() const { return estimate ? estimate : duration; }

    /// Its NodeSelector's text: the same text selects the same servers.
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
