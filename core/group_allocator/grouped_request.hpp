#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/group_allocator/group_rules.hpp"
#include "core/group_allocator/group_tree.hpp"

namespace berth::core {

/// A container's requests, partitioned into groups.
///
/// Shape:  demands are numbered in the order in which they are given. A part's base requests and
///         its subgroups, which are parts themselves, are in the order in which they are placed.
/// Cost:   O(demands x levels); no allocation after the first use for a request of that size.
/// Source: Mehrotra, "Group Allocator", section II.A.
class GroupedRequest {
public:
    struct Base {
        std::string_view key;  ///< The key relative to the part; for the root, the full name.
        std::uint32_t demand = 0;
    };
    struct Part {
        std::string_view name{};       ///< The name of the group; empty for the root.
        std::string_view index{};      ///< The index within the group.
        std::string_view full_name{};  ///< `resource/group/name/index`, and so on.
        std::uint32_t first_base = 0;
        std::uint32_t base_count = 0;
        std::uint32_t first_part = 0;
        std::uint32_t part_count = 0;
        /// The number of demands of the part and of everything below it.
        std::uint32_t demand_count = 0;
        std::uint32_t kind = 0;  ///< Parts of one kind ask for the same in the same way.
    };

    /// `demands` are group resources and outlive the request, as `scorers` do. A scorer decides
    /// whether its demand is available, in place of the location's scorer; there is one for each
    /// demand, or none at all.
    void partition(const GroupAmountList& demands,
                   std::span<const GroupScorer* const> scorers,
                   GroupOrder order);

    [[nodiscard]] std::size_t demand_count() const { return demands_.size(); }
    [[nodiscard]] const std::string& name(std::uint32_t demand) const {
        return demands_[demand].first;
    }
    [[nodiscard]] Amount amount(std::uint32_t demand) const { return demands_[demand].second; }
    /// The demand's own scorer, or nullptr.
    [[nodiscard]] const GroupScorer* scorer(std::uint32_t demand) const {
        return scorers_.empty() ? nullptr : scorers_[demand];
    }
    [[nodiscard]] const Part& root() const { return parts_.front(); }
    [[nodiscard]] std::span<const Base> bases(const Part& part) const {
        return {bases_.data() + part.first_base, part.base_count};
    }
    [[nodiscard]] std::span<const Part> parts(const Part& part) const {
        return {parts_.data() + part.first_part, part.part_count};
    }

private:
    void find_slashes();
    void split(std::uint32_t part, std::uint32_t level);
    void sort_parts(std::uint32_t first);
    void set_kind(Part& part);
    [[nodiscard]] bool same_kind(const Part& a, const Part& b) const;

    std::span<const GroupAmountList::value_type> demands_;
    std::span<const GroupScorer* const> scorers_;
    std::vector<Base> bases_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> kinds_;    ///< One part of each kind.
    std::vector<std::uint32_t> slashes_;  ///< The positions of the slashes in all demands.
    /// The first slash of each demand, and one more entry at the end.
    std::vector<std::uint32_t> first_slash_;
    GroupOrder order_ = GroupOrder::natural;
};

}  // namespace berth::core
