#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace berth::core::kueue {

/// A switch of Kueue's, by its own name.
enum class FeatureGate : std::uint8_t {
#define BERTH_FEATURE_GATE(identifier, name, initially) identifier,
#include "core/kueue/feature_gates.def"
#undef BERTH_FEATURE_GATE
};

/// The gate of a name, if Kueue has one that decisions or documents know.
[[nodiscard]] std::optional<FeatureGate> find_feature_gate(std::string_view name);
/// All names, sorted.
[[nodiscard]] std::vector<std::string_view> feature_gate_names();

/// Which gates are open: Kueue's defaults, until they are set otherwise.
class FeatureGates {
public:
    FeatureGates();
    [[nodiscard]] bool operator[](FeatureGate gate) const {
        return open_[static_cast<std::size_t>(gate)];
    }
    void set(FeatureGate gate, bool open) { open_[static_cast<std::size_t>(gate)] = open; }

private:
    std::bitset<64> open_;
};

}  // namespace berth::core::kueue
