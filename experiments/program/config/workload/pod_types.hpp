#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/machine_allocators/pod_devices.hpp"
#include "core/machine_views/provider_terms.hpp"
#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/profile.hpp"

namespace berth::experiments {

/// What pods of the types ask for: amounts by the schema, and devices or providers.
///
/// A type may say `candidates`, a query for allocation candidates; its amounts follow from that.
/// A type may name `nvidia.com/gpu`, the device allocator's resources (`koordinator.sh/gpu`,
/// `koordinator.sh/rdma`, ...), group resources (`resource/group/gpugrp0/A/gpu/0/cards`), and under
/// `annotations` the pod's annotations about devices, as they stand on a Pod. Of these the ledger
/// counts GPUs, in thousandths. Its `checkpoint` says how its jobs write theirs.
class PodTypes {
public:
    PodTypes() = default;
    /// Reads `types:` by name. `tree` outlives this. `by_candidates`: types that say amounts get
    /// queries of their own. `random_failures`: checkpoints may be `optimal`.
    PodTypes(const core::Value* types,
             const core::Topology& tree,
             bool by_candidates,
             bool random_failures,
             core::Diagnostics& diagnostics);
    /// Has a job ask for what pods of a type do, and write checkpoints as they do unless it says
    /// itself how. A name that is not listed and ends like an
    /// instance profile, `-2x32`, is so many CPUs and GiB of memory; another one is an error.
    void ask(const core::Value& name, sim::Job& job, core::Diagnostics& diagnostics) const;

    /// Has a job ask for amounts; GPUs among them are whole ones, any of a server's.
    void ask_for(const core::SourceSpan& span,
                 sim::Demand amounts,
                 sim::Job& job,
                 core::Diagnostics& diagnostics) const;

    /// Reports types that ask for devices or providers in a way that the profile's plug-ins do not
    /// understand.
    void check_inside(const sim::Profile& profile, core::Diagnostics& diagnostics) const;

    /// Every resource that `types:` mentions, for the schema. `counted`: GPUs of any maker are
    /// among them; otherwise those that no server counts are left to a device allocator.
    static void add_resources(const core::Value* types,
                              core::ResourceSchema& schema,
                              bool counted = false);

private:
    struct Type {
        core::SourceSpan span;
        sim::Demand demand;
        std::shared_ptr<const core::PodDevices> devices{};
        std::shared_ptr<const core::Value> fraction{};  ///< Of nvidia.com/gpu, if that was written.
        std::shared_ptr<const sim::PodQuery> query{};
        bool states_query = false;
        std::optional<sim::Checkpoint> checkpoint{};
    };
    void read_query(const core::Value& value, Type& type, core::Diagnostics& diagnostics) const;
    void read_request(const core::Member& member,
                      Type& type,
                      core::PodDevices& devices,
                      core::Diagnostics& diagnostics) const;
    [[nodiscard]] Type read(const core::Value& value, core::Diagnostics& diagnostics) const;
    void take_place(sim::Demand& demand) const;
    [[nodiscard]] sim::Demand demand_by_name(const core::Value& name,
                                             core::Diagnostics& diagnostics) const;

    const core::ResourceSchema* schema_ = nullptr;
    std::shared_ptr<const core::ProviderTerms> terms_;
    bool by_candidates_ = false;
    bool random_failures_ = false;
    std::map<std::string, Type> types_;
};

}  // namespace berth::experiments
