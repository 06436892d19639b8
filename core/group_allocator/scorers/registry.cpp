#include <algorithm>
#include <array>
#include <cctype>

#include "core/group_allocator/group_scorer.hpp"

namespace berth::core {

#define BERTH_GROUP_SCORER(function, name, summary) const GroupScorer& get_##function();
#include "core/group_allocator/scorers/group_scorers.def"
#undef BERTH_GROUP_SCORER

std::span<const GroupScorerEntry> group_scorers() {
    static constexpr std::array table = {
#define BERTH_GROUP_SCORER(function, name, summary) \
    GroupScorerEntry{name, summary, &get_##function},
#include "core/group_allocator/scorers/group_scorers.def"
#undef BERTH_GROUP_SCORER
    };
    return table;
}

const GroupScorer* find_group_scorer(std::string_view name) {
    const auto entry = std::ranges::find(group_scorers(), name, &GroupScorerEntry::name);
    return entry == group_scorers().end() ? nullptr : &entry->get();
}

const GroupScorer& default_group_scorer(std::string_view resource) {
    static constexpr std::string_view mark = "enum";
    const std::size_t slash = resource.rfind('/');
    const std::string_view last =
        slash == std::string_view::npos ? std::string_view{} : resource.substr(slash + 1);
    const auto same = [](char expected, char given) {
        return std::tolower(static_cast<unsigned char>(given)) == expected;
    };
    const bool enumeration =
        last.size() >= mark.size() && std::equal(mark.begin(), mark.end(), last.begin(), same);
    return *find_group_scorer(enumeration ? "enumeration" : "leftover");
}

}  // namespace berth::core
