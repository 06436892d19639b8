#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/value.hpp"

namespace berth::topologies {

/// The levels of a tree before it is generated: their names, and how many children each node gets.
///
/// Shape: level 0 is the root, `cluster`; the last is the server. Nodes are numbered within their
///        level, in the order of their parents.
class LevelPlan {
public:
    /// Reads a `levels` section: a list of `name` and `count`, top-down below the cluster. A count
    /// is one number for all parents, or a list with a number for each parent.
    [[nodiscard]] static std::optional<LevelPlan> read(const core::Value& levels,
                                                       core::Diagnostics& diagnostics);

    [[nodiscard]] std::size_t level_count() const { return levels_.size(); }
    [[nodiscard]] const std::string& name(std::size_t level) const { return levels_[level].name; }
    [[nodiscard]] std::uint32_t size(std::size_t level) const { return levels_[level].size; }
    [[nodiscard]] std::uint32_t server_count() const { return levels_.back().size; }
    [[nodiscard]] std::size_t node_count() const;
    /// An upper bound for the bytes that the names of all nodes, `server-0` and so on, take
    /// together.
    [[nodiscard]] std::size_t name_bytes() const { return static_cast<std::size_t>(name_bytes_); }
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;

    /// The first child of a node above the servers. child_begin(level, size(level)) is the size of
    /// the level below.
    [[nodiscard]] std::uint32_t child_begin(std::size_t level, std::uint32_t node) const;
    /// The servers under a node, as a half-open range.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> servers_under(std::size_t level,
                                                                        std::uint32_t node) const;

private:
    struct PlannedLevel {
        std::string name;
        std::uint32_t size = 1;
        std::uint32_t per_parent = 0;      ///< Children of each node; 0 if irregular.
        std::vector<std::uint32_t> begin;  ///< If irregular: the first child of each parent, and
                                           ///<               the end.
    };
    friend class LevelPlanReader;

    std::vector<PlannedLevel> levels_;
    std::int64_t name_bytes_ = 0;
};

/// The maximum number of levels of a tree, including the root.
inline constexpr std::size_t levels_max = 16;

}  // namespace berth::topologies
