#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/machine_allocators/pod_devices.hpp"
#include "core/placement_group.hpp"
#include "sim/time.hpp"

namespace berth::sim {

/// A change of a running group's size.
struct Resize {
    SimTime at{};  ///< Simulated time.
    core::Members size = 0;
};

/// What arrives: a pod, or a group of equal pods that starts as one (a gang).
struct Job {
    std::string name;
    std::string quota;       ///< As its label says; empty: by its namespace.
    std::string name_space;  ///< Of Kubernetes.
    std::int32_t priority = 0;
    bool preemptible = true;
    std::vector<core::Amount> demand;  ///< Of one pod, by the topology's schema.
    /// Of one pod; nothing: it asks for no particular devices.
    std::shared_ptr<const core::PodDevices> devices;
    SimTime submit{};
    std::optional<SimTime> duration;  ///< Nothing: it runs until the run ends.

    /// A group is placed as one under its constraints; a single pod goes where the profile's score
    /// plug-ins send it.
    bool group = false;
    core::Members size = 1;
    core::Members min_available = 1;  ///< A group starts when so many members can.
    std::optional<core::LevelConstraints> constraints;
    std::vector<Resize> resizes;  ///< By time.
};

/// Where jobs come from.
class PodSource {
public:
    virtual ~PodSource() = default;
    /// The next job, or nothing after the last. Submit times never go back.
    virtual std::optional<Job> next() = 0;
};

}  // namespace berth::sim
