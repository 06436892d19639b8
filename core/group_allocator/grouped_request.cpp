#include "core/group_allocator/grouped_request.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

void GroupedRequest::partition(const GroupAmountList& demands,
                               std::span<const GroupScorer* const> scorers,
                               GroupOrder order) {
    BERTH_ASSERT(scorers.empty() || scorers.size() == demands.size(),
                 "either every demand says who decides about it, or none does");
    BERTH_AUDIT(std::ranges::adjacent_find(demands,
                                           std::ranges::greater_equal(),
                                           &GroupAmountList::value_type::first) == demands.end(),
                "demands stand in the order of their names, and no name twice");
    demands_ = demands;
    scorers_ = scorers;
    order_ = order;
    bases_.clear();
    parts_.clear();
    kinds_.clear();
    find_slashes();
    parts_.push_back(
        {.full_name = group_prefix, .demand_count = static_cast<std::uint32_t>(demands.size())});
    std::uint32_t level = 0;
    std::size_t level_end = 1;
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
        if (part == level_end) {
            ++level;
            level_end = parts_.size();
        }
        split(part, level);
    }
    BERTH_ASSERT(bases_.size() == demands.size(), "every demand is a base of one part");
    for (std::size_t part = parts_.size(); part-- > 0;) {
        set_kind(parts_[part]);
    }
}

void GroupedRequest::find_slashes() {
    slashes_.clear();
    first_slash_.clear();
    for (const auto& [name, amount] : demands_) {
        first_slash_.push_back(static_cast<std::uint32_t>(slashes_.size()));
        const char* const end = name.data() + name.size();
        const char* at = name.data() + group_prefix.size();
        for (const bool below = at != end && *at == '/'; below && at != end; ++at) {
            if (*at == '/') {
                slashes_.push_back(static_cast<std::uint32_t>(at - name.data()));
            }
        }
    }
    first_slash_.push_back(static_cast<std::uint32_t>(slashes_.size()));
}

/// Splits a part that is `level` levels below the root into its bases and the parts inside it,
/// which are split in turn. A level takes up two slashes of a name: the one before the group's name
/// and the one before the index. In byte order the names of one subgroup follow each other.
inline void GroupedRequest::split(std::uint32_t part, std::uint32_t level) {
    const std::uint32_t first = parts_[part].first_base;
    const std::uint32_t end = first + parts_[part].demand_count;
    const auto first_part = static_cast<std::uint32_t>(parts_.size());
    const auto first_base = static_cast<std::uint32_t>(bases_.size());
    std::uint32_t part_count = 0;
    std::uint32_t base_count = 0;
    std::string_view open;  // the subgroup whose names are being read, with its slash
    for (std::uint32_t demand = first; demand < end; ++demand) {
        const std::string_view full_name = name(demand);
        if (!open.empty() && full_name.starts_with(open)) {
            ++parts_.back().demand_count;
            continue;
        }
        const std::uint32_t slash = first_slash_[demand] + 2 * level;
        if (slash + 2 >= first_slash_[demand + 1]) {
            bases_.push_back(
                {level == 0 ? full_name : full_name.substr(slashes_[slash] + 1), demand});
            ++base_count;
            continue;
        }
        const std::uint32_t* const at = slashes_.data() + slash;
        const auto between = [&](std::uint32_t begin, std::uint32_t until) {
            return std::string_view(full_name.data() + begin, until - begin);
        };
        open = between(0, at[2] + 1);
        parts_.push_back({.name = between(at[0] + 1, at[1]),
                          .index = between(at[1] + 1, at[2]),
                          .full_name = between(0, at[2]),
                          // Until it is split, the position where its demands begin.
                          .first_base = demand,
                          .demand_count = 1});
        ++part_count;
    }
    Part& whole = parts_[part];
    whole.first_base = first_base;
    whole.base_count = base_count;
    whole.first_part = first_part;
    whole.part_count = part_count;
    if (part_count > 1) {
        sort_parts(first_part);
    }
}

/// Sorts the parts from `first` on, which are usually in order already.
void GroupedRequest::sort_parts(std::uint32_t first) {
    const auto precedes = [this](const Part& a, const Part& b) {
        const auto by_name =
            a.name == b.name ? std::strong_ordering::equal : compare_names(a.name, b.name, order_);
        return by_name != 0 ? by_name < 0 : compare_names(a.index, b.index, order_) < 0;
    };
    const auto begin = parts_.begin() + first;
    if (!std::is_sorted(begin, parts_.end(), precedes)) {
        std::sort(begin, parts_.end(), precedes);
    }
}

/// Sets the kind of a part after those of the parts inside it. Neighbours are usually of one kind.
inline void GroupedRequest::set_kind(Part& part) {
    const auto is_same = [&](std::uint32_t other) { return same_kind(part, parts_[other]); };
    if (&part != &parts_.back() && is_same(kinds_[(&part + 1)->kind])) {
        part.kind = (&part + 1)->kind;
        return;
    }
    const auto known = std::ranges::find_if(kinds_, is_same);
    part.kind = static_cast<std::uint32_t>(known - kinds_.begin());
    if (known == kinds_.end()) {
        kinds_.push_back(static_cast<std::uint32_t>(&part - parts_.data()));
    }
}

inline bool GroupedRequest::same_kind(const Part& a, const Part& b) const {
    if (a.demand_count != b.demand_count || a.base_count != b.base_count ||
        a.part_count != b.part_count) {
        return false;
    }
    for (std::uint32_t i = 0; i < a.base_count; ++i) {
        const Base& one = bases(a)[i];
        const Base& other = bases(b)[i];
        if (amount(one.demand) != amount(other.demand) ||
            scorer(one.demand) != scorer(other.demand) || one.key != other.key) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i < a.part_count; ++i) {
        const Part& one = parts(a)[i];
        const Part& other = parts(b)[i];
        if (one.kind != other.kind || one.name != other.name) {
            return false;
        }
    }
    return true;
}

}  // namespace berth::core
