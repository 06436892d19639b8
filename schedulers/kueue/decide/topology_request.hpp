#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::core::kueue {

/// Pods that stay together in one domain of a level: so many at a time.
struct SliceLayer {
    std::string topology;
    std::int64_t size = 0;
};

/// How the pods of a pod set are to lie in the topology. Levels are the labels of nodes.
struct TopologyRequest {
    std::optional<std::string> required;   ///< All pods in one domain of this level.
    std::optional<std::string> preferred;  ///< The same, or of the lowest level above that does.
    bool unconstrained = false;
    std::vector<SliceLayer> layers;  ///< From the outermost inwards.

    /// Whether nothing but slices is asked for.
    [[nodiscard]] bool is_slices_only() const { return !required && !preferred && !layers.empty(); }
};

/// Where the pods of a pod set are.
struct TopologyAssignment {
    struct Domain {
        std::vector<std::string> values;  ///< By level.
        std::int64_t count = 0;
    };
    std::vector<std::string> levels;
    std::vector<Domain> domains;
};

}  // namespace berth::core::kueue
