#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/machine_allocators/pod_devices.hpp"
#include "core/resources.hpp"
#include "core/support/value.hpp"
#include "sim/profile.hpp"

namespace berth::experiments {

/// What pods of the types ask for: amounts by the schema, and devices.
///
/// A type may name `nvidia.com/gpu`, the device allocator's resources (`koordinator.sh/gpu`,
/// `koordinator.sh/rdma`, ...), group resources (`resource/group/gpugrp0/A/gpu/0/cards`), and under
/// `annotations` the pod's annotations about devices, as they stand on a Pod. Of these the ledger
/// counts GPUs, in thousandths.
class PodTypes {
public:
    PodTypes() = default;
    /// Reads `types:` by name.
    PodTypes(const core::Value* types,
             const core::ResourceSchema& schema,
             core::Diagnostics& diagnostics);
    /// The demand of a type. A name that is not listed and ends like an instance profile, `-2x32`,
    /// is so many CPUs and GiB of memory; another one is an error.
    [[nodiscard]] std::vector<core::Amount> demand(const core::Value& name,
                                                   core::Diagnostics& diagnostics) const;
    /// What a type asks of its server's devices, or nullptr.
    [[nodiscard]] std::shared_ptr<const core::PodDevices> devices(const std::string& name) const;

    /// Reports types that ask for devices in a way that the profile's allocator does not
    /// understand.
    void check_devices(const sim::Profile& profile, core::Diagnostics& diagnostics) const;

    /// Every resource that `types:` mentions, for the schema.
    static void add_resources(const core::Value* types, core::ResourceSchema& schema);

private:
    struct Type {
        core::SourceSpan span;
        std::vector<core::Amount> demand;
        std::shared_ptr<const core::PodDevices> devices;
        std::shared_ptr<const core::Value> fraction;  ///< Of nvidia.com/gpu, if that was written.
    };
    void read_request(const core::Member& member,
                      Type& type,
                      core::PodDevices& devices,
                      core::Diagnostics& diagnostics) const;
    [[nodiscard]] Type read(const core::Value& value, core::Diagnostics& diagnostics) const;

    const core::ResourceSchema* schema_ = nullptr;
    std::map<std::string, Type> types_;
};

}  // namespace berth::experiments
