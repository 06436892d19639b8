#include "core/kueue/feature_gates.hpp"

#include <algorithm>
#include <array>

namespace berth::core::kueue {
namespace {

struct Entry {
    FeatureGate gate;
    std::string_view name;
    bool initially = false;
};

constexpr std::array entries{
#define BERTH_FEATURE_GATE(identifier, name, initially) \
    Entry{FeatureGate::identifier, #name, initially},
#include "core/kueue/feature_gates.def"
#undef BERTH_FEATURE_GATE
};
static_assert(entries.size() <= 64, "the gates fit into their bits");

}  // namespace

std::optional<FeatureGate> find_feature_gate(std::string_view name) {
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found == entries.end() ? std::nullopt : std::optional(found->gate);
}

std::vector<std::string_view> feature_gate_names() {
    std::vector<std::string_view> names;
    for (const Entry& entry : entries) {
        names.push_back(entry.name);
    }
    return names;
}

FeatureGates::FeatureGates() {
    for (const Entry& entry : entries) {
        set(entry.gate, entry.initially);
    }
}

}  // namespace berth::core::kueue
