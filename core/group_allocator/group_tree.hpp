#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/group_allocator/group_amounts.hpp"
#include "core/group_allocator/group_rules.hpp"
#include "core/group_allocator/group_scorer.hpp"

namespace berth::core {

/// Scorers by the name of their resource, for resources that do not have the default one.
using GroupScorers = std::map<std::string, const GroupScorer*, std::less<>>;

/// What a location is like, apart from its name. Two locations of one shape do not differ in
/// anything that an allocation asks about.
struct GroupShape {
    struct Resource {
        std::string key;  ///< The key relative to the location; for the root, the full name.
        Amount allocatable = 0;
        const GroupScorer* scorer = nullptr;

        friend auto operator<=>(const Resource&, const Resource&) = default;
    };
    /// The subgroups of one name: children [first, first + count) of the location.
    struct Subgroups {
        std::string name;
        std::uint32_t first = 0;
        std::uint32_t count = 0;

        friend auto operator<=>(const Subgroups&, const Subgroups&) = default;
    };
    /// One term of a location's score. Terms are in the order in which they are summed up, which is
    /// the byte order of full names.
    struct Term {
        bool child = false;
        std::uint32_t index = 0;

        friend auto operator<=>(const Term&, const Term&) = default;
    };

    std::vector<Resource> resources;  ///< Base resources, by key.
    std::vector<Subgroups> groups;
    std::vector<const GroupShape*> children;
    std::vector<Term> order;
    /// The number of resources of the location and of everything below it.
    std::uint32_t resource_count = 0;
    std::uint32_t id = 0;  ///< The position in the order of first appearance in its tree.

    [[nodiscard]] const Subgroups* find_group(std::string_view name) const {
        for (const Subgroups& group : groups) {
            if (group.name == name) {
                return &group;
            }
        }
        return nullptr;
    }
    /// The index of the base resource with this key, or nothing.
    [[nodiscard]] std::optional<std::uint32_t> find_resource(std::string_view key) const {
        std::uint32_t index = 0;
        for (const Resource& resource : resources) {
            if (resource.key == key) {
                return index;
            }
            ++index;
        }
        return std::nullopt;
    }
};

/// The group resources of one machine as a tree of locations. It is described once and shared by
/// every server of the type.
///
/// Shape:  location 0 is the root, `resource/group`; the children of a location are contiguous and
///         in the order in which they are tried.
/// Cost:   building is O(resources x levels x log).
/// Source: Mehrotra, "Group Allocator", section II.A, partitioning.
class GroupTree {
public:
    struct Location {
        const GroupShape* shape = nullptr;
        std::uint32_t first_child = 0;
        /// The number of its first base resource; the others follow in the shape's order.
        std::uint32_t first_resource = 0;
        std::string name;  ///< The full name.
    };

    /// Only group resources of `allocatable` are read.
    GroupTree(const GroupAmounts& allocatable, const GroupScorers& scorers, GroupOrder order);
    GroupTree(const GroupTree&) = delete;
    GroupTree& operator=(const GroupTree&) = delete;

    [[nodiscard]] bool empty() const { return resource_names_.empty(); }
    [[nodiscard]] const GroupShape& root_shape() const { return *locations_.front().shape; }
    [[nodiscard]] const Location& location(std::uint32_t index) const { return locations_[index]; }
    [[nodiscard]] std::uint32_t resource_count() const {
        return static_cast<std::uint32_t>(resource_names_.size());
    }
    /// The full name of a resource; resources are numbered location by location.
    [[nodiscard]] const std::string& resource_name(std::uint32_t resource) const {
        return resource_names_[resource];
    }
    [[nodiscard]] std::optional<std::uint32_t> find_resource(std::string_view name) const;
    /// The children to follow from the root to the location of a resource, and its position among
    /// the base resources there.
    struct Path {
        std::vector<std::uint32_t> children;
        std::uint32_t resource = 0;
    };
    [[nodiscard]] const Path& path(std::uint32_t resource) const { return paths_[resource]; }
    [[nodiscard]] const GroupShape::Resource& resource(std::uint32_t resource) const;

private:
    struct Draft;
    const GroupShape* share(GroupShape shape);
    void add_location(const Draft& draft, std::uint32_t location, std::vector<std::uint32_t>& path);

    std::deque<GroupShape> shapes_;
    std::vector<Location> locations_;
    std::vector<std::string> resource_names_;
    std::vector<Path> paths_;  ///< The path to each resource.
    std::vector<const GroupShape::Resource*> resources_;
    std::map<std::string, std::uint32_t, std::less<>> resource_by_name_;
};

}  // namespace berth::core
