#pragma once

#include <memory>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/topology_aware/topology_snapshot.hpp"
#include "experiments/program/requests/request_field.hpp"

namespace berth::experiments {

/// The nodes of a request of kind `topology-assignment`, as a tree with amounts.
struct KueueCluster {
    core::ResourceSchema resources;  ///< By name; one of them is `pods`.
    core::kueue::TopologySnapshot::Spec spec;
    std::unique_ptr<core::Ledger> ledger;  ///< nullptr if no node is in the topology.
};

/// Errors: RequestError, InputError where amounts have no room.
[[nodiscard]] KueueCluster read_kueue_cluster(const RequestField& request);

/// Amounts by the schema, whose resources are all that the request names.
[[nodiscard]] std::vector<core::Amount> read_kueue_amounts(const RequestField& field,
                                                           const core::ResourceSchema& resources);
/// Adds the pods themselves, of which a node takes only so many.
void add_kueue_pods(std::vector<core::Amount>& amounts,
                    const core::ResourceSchema& resources,
                    std::int64_t pods);

}  // namespace berth::experiments
