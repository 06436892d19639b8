#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core::kueue {

/// A switch of Kueue, by Kueue's own name.
enum class FeatureGate : std::uint8_t {
#define BERTH_FEATURE_GATE(identifier, name, initially) identifier,
#include "schedulers/kueue/decide/feature_gates.def"
#undef BERTH_FEATURE_GATE
};

/// The gate with this name, if Kueue has one.
[[nodiscard]] std::optional<FeatureGate> find_feature_gate(std::string_view name);
/// All names, sorted.
[[nodiscard]] std::vector<std::string_view> feature_gate_names();

/// Which gates are open: Kueue's defaults, unless they are set otherwise.
class FeatureGates {
public:
    FeatureGates();
    [[nodiscard]] bool operator[](FeatureGate gate) const {
        return open_[static_cast<std::size_t>(gate)];
    }
    void set(FeatureGate gate, bool open) { open_[static_cast<std::size_t>(gate)] = open; }
    /// What has to be set otherwise, since Kueue does not start if a gate is on without others that
    /// it needs; empty if it starts.
    [[nodiscard]] std::string what_to_mend() const;

    static constexpr std::size_t most = 128;

private:
    std::bitset<most> open_;
};

/// When a target with a share of its own may be preempted for a fair share.
enum class FairStrategy : std::uint8_t { less_or_equal_to_final_share, less_than_initial_share };

/// Kueue's `admissionFairSharing`: the usage of a LocalQueue counts less the longer ago it was.
struct AdmissionFairSharing {
    /// The time in which past usage comes to count half. 0: usage is reset at once, so that every
    /// LocalQueue with a weight has a usage of 0.
    std::chrono::nanoseconds half_life{};
    /// The time between samples, above 0.
    std::chrono::nanoseconds sampling = std::chrono::minutes(5);
    std::map<std::string, double> resource_weights;  ///< A resource without a weight has 1.
};

/// The settings that hold for all queues.
struct Configuration {
    FeatureGates gates;
    /// Fair sharing is on if there are any.
    std::vector<FairStrategy> fair_strategies;
    bool admission_fair_sharing = false;
    bool ignore_undeclared = false;  ///< A resource that a queue does not cover needs no quota.
    /// A workload that was evicted before its pods were ready is queued since its eviction.
    bool requeue_by_eviction = true;

    [[nodiscard]] bool fair_sharing() const { return !fair_strategies.empty(); }
};

}  // namespace berth::core::kueue
