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

/// The requests of pods of each type: amounts by the schema, and devices or providers.
///
/// A type may have `candidates`, a query for allocation candidates, from which its amounts follow.
/// A type may name `nvidia.com/gpu`, resources of the device allocator (`koordinator.sh/gpu`,
/// `koordinator.sh/rdma`, ...), group resources (`resource/group/gpugrp0/A/gpu/0/cards`), and,
/// under `annotations`, a pod's annotations about devices as they are written on a Pod. Of these,
/// the ledger counts GPUs, in thousandths. `checkpoint` says how jobs of the type write
/// checkpoints.
class PodTypes {
public:
    PodTypes() = default;
    /// Reads `types:` by name. `tree` must outlive this. `by_candidates`: types that only state
    /// amounts get queries. `random_failures`: checkpoints may be `optimal`.
    PodTypes(const core::Value* types,
             const core::Topology& tree,
             bool by_candidates,
             bool random_failures,
             core::Diagnostics& diagnostics);
    /// Makes a job request what pods of a type do, and write checkpoints as they do unless it
    /// states its own. A name that is not listed but ends like an instance profile, `-2x32`, means
    /// that many CPUs and GiB of memory; any other unknown name is an error.
    void ask(const core::Value& name, sim::Job& job, core::Diagnostics& diagnostics) const;

    /// Makes a job request amounts. GPUs among them are whole GPUs, any of the server's.
    void ask_for(const core::SourceSpan& span,
                 sim::Demand amounts,
                 sim::Job& job,
                 core::Diagnostics& diagnostics) const;

    /// Makes a job ask for so many whole GPUs of a server. `with_devices`: as devices of it, too.
    static void ask_for_gpus(core::Amount gpus, bool with_devices, sim::Job& job);

    /// Reports types that request devices or providers in a way that the profile's plug-ins do not
    /// understand.
    void check_inside(const sim::Profile& profile, core::Diagnostics& diagnostics) const;

    /// Adds every resource that `types:` mentions to the schema. `counted`: this includes GPUs of
    /// any maker; otherwise those that no server counts are left to a device allocator.
    static void add_resources(const core::Value* types,
                              core::ResourceSchema& schema,
                              bool counted = false);

private:
    struct Type {
        core::SourceSpan span;
        sim::Demand demand;
        std::shared_ptr<const core::PodDevices> devices{};
        std::shared_ptr<const core::Value> fraction{};  ///< The fraction of nvidia.com/gpu, if one
                                                        ///< is stated.
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
