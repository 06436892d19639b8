#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace berth::core::kube {

/// Numbers at some of the positions from 0 on. Each of these positions has a rank: how many such
/// positions come before it. Ranks are a circle, on which the first follows the last.
///
/// Cost: O(log n) for each call but the constructor and choose(), which is O(log^2 n); up to 64
///       bytes for each position.
class RankedNumbers {
public:
    using Number = std::optional<std::int64_t>;

    /// So many ranks, from a first one on.
    struct Arc {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    /// Cost: O(n).
    explicit RankedNumbers(const std::vector<Number>& numbers);

    void set(std::size_t position, Number number);

    /// How many positions have a number, and how many of them come before a position.
    [[nodiscard]] std::size_t size() const { return nodes_[1].count; }
    [[nodiscard]] std::size_t rank_of(std::size_t position) const;
    [[nodiscard]] std::size_t position_of(std::size_t rank) const;

    /// The greatest number of an arc of at least one rank.
    [[nodiscard]] std::int64_t greatest(Arc arc) const;
    /// The rank that kube-scheduler takes of an arc of at least one: that of the root of a binary
    /// heap made of its numbers, as choose() makes it.
    [[nodiscard]] std::size_t choose(Arc arc) const;

private:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

    /// A node of a binary tree over positions, whose children are at 2 i and 2 i + 1.
    struct Node {
        std::int64_t greatest = none;
        std::size_t count = 0;
    };
    void join_children(std::size_t node);
    [[nodiscard]] std::int64_t greatest(std::size_t node, std::size_t from, std::size_t to) const;
    struct Search;
    void descend(Search& search, std::size_t node, std::ptrdiff_t first) const;

    std::size_t leaves_;
    std::vector<Node> nodes_;
};

}  // namespace berth::core::kube
