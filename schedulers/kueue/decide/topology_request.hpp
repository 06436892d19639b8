#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::core::kueue {

/// A layer of slices: each `size` pods stay together in one domain of this level.
struct SliceLayer {
    std::string topology;
    std::int64_t size = 0;
};

/// How the pods of a pod set are to be placed in the topology. Levels are node labels.
struct TopologyRequest {
    std::optional<std::string> required;  ///< All pods must be in one domain of this level.
    /// The same, or else one domain of the lowest level above that has room.
    std::optional<std::string> preferred;
    bool unconstrained = false;
    std::vector<SliceLayer> layers;  ///< Layers of slices, from the outermost inwards.

    /// Whether nothing but slices is asked for.
    [[nodiscard]] bool is_slices_only() const { return !required && !preferred && !layers.empty(); }
};

/// The places of the pods of a pod set.
struct TopologyAssignment {
    struct Domain {
        std::vector<std::string> values;  ///< The value of each level's label.
        std::int64_t count = 0;
    };
    std::vector<std::string> levels;
    std::vector<Domain> domains;
};

}  // namespace berth::core::kueue
