#include "schedulers/kueue/decide/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/support/text.hpp"

namespace berth::core::kueue {
namespace {

struct Gate {
    FeatureGate gate;
    std::string_view name;
    bool initially = false;
};

constexpr std::array gates{
#define BERTH_FEATURE_GATE(identifier, name, initially) \
    Gate{FeatureGate::identifier, #name, initially},
#include "schedulers/kueue/decide/feature_gates.def"
#undef BERTH_FEATURE_GATE
};
static_assert(gates.size() <= FeatureGates::most, "the gates fit into their bits");

/// A gate that may be on only if another gate is.
struct Dependency {
    FeatureGate gate;
    FeatureGate needs;
};

using enum FeatureGate;
/// Source: Kueue, pkg/features/kube_features.go; dependencies that follow from the others are left
///         out.
constexpr std::array dependencies{
    Dependency{balanced_placement, topology_aware_scheduling},
    Dependency{dra_consumable_capacity, dra},
    Dependency{dra_extended_resource, dra},
    Dependency{dra_partitionable_devices, dra},
    Dependency{elastic_jobs_with_topology, elastic_jobs},
    Dependency{elastic_jobs_with_topology, topology_aware_scheduling},
    Dependency{failed_node_replacement, topology_aware_scheduling},
    Dependency{failed_node_replacement_fail_fast, failed_node_replacement},
    Dependency{multi_layer_topology, topology_aware_scheduling},
    Dependency{overlapping_flavors, topology_aware_scheduling},
    Dependency{preserve_scan_progress, flavor_fungibility},
    Dependency{profile_mixed, topology_aware_scheduling},
    Dependency{recompute_within_cycle, topology_aware_scheduling},
    Dependency{replace_node_on_pod_termination, failed_node_replacement},
    Dependency{replace_not_ready_nodes, failed_node_replacement},
    Dependency{replace_tainted_nodes, topology_aware_scheduling},
    Dependency{respect_preferred_affinity, topology_aware_scheduling},
    Dependency{unadmitted_explicit_status, unadmitted_observability}};

std::string_view name_of(FeatureGate gate) {
    return gates[static_cast<std::size_t>(gate)].name;
}

}  // namespace

std::optional<FeatureGate> find_feature_gate(std::string_view name) {
    const auto found = std::ranges::find(gates, name, &Gate::name);
    return found == gates.end() ? std::nullopt : std::optional(found->gate);
}

std::vector<std::string_view> feature_gate_names() {
    std::vector<std::string_view> names;
    for (const Gate& gate : gates) {
        names.push_back(gate.name);
    }
    return names;
}

FeatureGates::FeatureGates() {
    for (const Gate& gate : gates) {
        set(gate.gate, gate.initially);
    }
}

std::string FeatureGates::what_to_mend() const {
    std::vector<std::string> mends;
    for (const auto& [gate, needs] : dependencies) {
        if ((*this)[gate] && !(*this)[needs]) {
            mends.push_back(fmt::format("{}: false or {}: true", name_of(gate), name_of(needs)));
        }
    }
    return mends.empty() ? ""
                         : join(mends, ", ") +
                               ": Kueue does not start with a gate that is on "
                               "without one that it needs";
}

}  // namespace berth::core::kueue
