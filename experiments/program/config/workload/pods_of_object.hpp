#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// The pods that an object of a cluster keeps: a Deployment, a ReplicaSet, a StatefulSet or a Job.
struct PodsOfObject {
    std::string name;        ///< Has the namespace in front, if the object states one.
    std::string name_space;  ///< Empty if it states none.
    std::int64_t count = 1;
    /// The longest time that one of them may run; nothing if there is no limit.
    std::optional<sim::SimTime> most;
    /// One of them, without a name: `metadata` and `spec`. Its controller is the object, or what a
    /// Deployment makes; the reference to it also has the `selector` of that object.
    core::Value pod;
};

/// Whether pods can be made of objects of this kind.
[[nodiscard]] bool keeps_pods(std::string_view kind);

/// The objects in a document of such a kind, or in a List.
[[nodiscard]] std::vector<const core::Value*> objects_with_pods(const core::Value& document);

/// Reads an object. A Job has as many pods as may run at once. `name_space`: another namespace than
/// that of the object; or "".
/// Errors: recorded for what is no such object, for a wrong number, and for a template without a
///         spec; nothing is returned then. Recorded, too, for templates of pods that go past the
///         scheduler, or wait for somebody before it.
[[nodiscard]] std::optional<PodsOfObject> pods_of_object(const core::Value& object,
                                                         const std::string& name_space,
                                                         core::Diagnostics& diagnostics);

/// Reduces such an object to what is read of it.
void trim_object_with_pods(core::Value& object);

/// Adds every resource that pods of such objects in the sources of a workload ask for.
void add_resources_of_objects(const core::Value* sources, core::ResourceSchema& schema);

}  // namespace berth::experiments
