#include "core/kueue/configuration.hpp"

#include <algorithm>
#include <array>

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
#include "core/kueue/feature_gates.def"
#undef BERTH_FEATURE_GATE
};
static_assert(gates.size() <= 64, "the gates fit into their bits");

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

}  // namespace berth::core::kueue
