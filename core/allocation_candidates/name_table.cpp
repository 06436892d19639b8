#include "core/allocation_candidates/name_table.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {

NameTable::NameTable(std::vector<std::string> names) : names_(std::move(names)) {
    std::ranges::sort(names_);
    const auto repeated = std::ranges::unique(names_);
    names_.erase(repeated.begin(), repeated.end());
    names_.shrink_to_fit();
}

std::optional<std::uint32_t> NameTable::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(
        names_, name, {}, [](const std::string& known) { return std::string_view(known); });
    return found != names_.end() && *found == name
               ? std::optional(static_cast<std::uint32_t>(found - names_.begin()))
               : std::nullopt;
}

NameSets::NameSets(const std::vector<std::vector<std::uint32_t>>& sets) {
    BERTH_ASSERT(!sets.empty() && sets.front().empty(), "the first set is the empty one");
    for (const std::vector<std::uint32_t>& set : sets) {
        members_.insert(members_.end(), set.begin(), set.end());
        begin_.push_back(static_cast<std::uint32_t>(members_.size()));
    }
}

bool NameSets::contains(std::uint32_t set, std::uint32_t name) const {
    return std::ranges::binary_search(members(set), name);
}

}  // namespace berth::core
