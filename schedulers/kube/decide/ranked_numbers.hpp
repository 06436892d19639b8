#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace berth::core::kube {

/// Numbers at some of the positions from 0 on. Each of these positions has a rank: how many such
/// positions come before it. Ranks are a circle, on which the first follows the last.
/// Each number is in one of several layers. What is added to all numbers of a layer is said when
/// they are compared, so that it may change at no cost.
///
/// Cost: O(log n) for each call but the constructor and choose(); up to 12 bytes for each position,
///       and 32 for each position and layer.
class RankedNumbers {
public:
    using Number = std::optional<std::int64_t>;
    using Layer = std::uint32_t;

    /// So many ranks, from a first one on.
    struct Arc {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    /// If no layers are given, all numbers are in the first one.
    /// Cost: O(n) for each layer.
    explicit RankedNumbers(const std::vector<Number>& numbers,
                           const std::vector<Layer>& layers = {});

    void set(std::size_t position, Number number, Layer layer = 0);

    /// How many positions have a number, and how many of them come before a position.
    [[nodiscard]] std::size_t size() const { return counts_[1]; }
    [[nodiscard]] std::size_t rank_of(std::size_t position) const;
    [[nodiscard]] std::size_t position_of(std::size_t rank) const;

    /// The greatest number that an arc of at least one rank has in the first layer, if any.
    [[nodiscard]] Number greatest(Arc arc) const { return greatest(arc, 0); }
    /// Those of all layers.
    [[nodiscard]] std::vector<Number> greatest_of_layers(Arc arc) const;
    /// The rank that kube-scheduler takes of an arc of at least one: that of the root of a binary
    /// heap made of its numbers, as choose() makes it. `greatest` is greatest_of_layers(arc), and
    /// `added` is what is added to the numbers of each of these layers.
    /// Cost: O(log^2 n) for each layer with the greatest number of all.
    [[nodiscard]] std::size_t choose(Arc arc,
                                     const std::vector<Number>& greatest,
                                     const std::vector<std::int64_t>& added) const;

private:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
    /// The greatest number below each node of a tree over positions.
    using Greatest = std::vector<std::int64_t>;

    Greatest& layer(Layer number);
    [[nodiscard]] Number greatest(Arc arc, Layer layer) const;
    [[nodiscard]] std::int64_t greatest(const Greatest& of,
                                        std::size_t node,
                                        std::size_t from,
                                        std::size_t to) const;
    struct Search;
    void descend(Search& search, std::size_t node, std::ptrdiff_t first) const;

    std::size_t leaves_;
    /// How many numbers are below each node of a binary tree with the children 2 i and 2 i + 1.
    std::vector<std::uint32_t> counts_;
    std::vector<Layer> layer_of_;   ///< Of each position that has a number.
    std::vector<Greatest> layers_;  ///< An empty one has no numbers.
};

}  // namespace berth::core::kube
