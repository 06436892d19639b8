#include "core/allocation_candidates/set_verdicts.hpp"

#include <algorithm>

namespace berth::core {

SetVerdicts::SetVerdicts(const NameSets& sets,
                         std::vector<std::vector<std::uint32_t>> any_of,
                         std::vector<std::uint32_t> forbidden)
    : sets_(sets),
      any_of_(std::move(any_of)),
      forbidden_(std::move(forbidden)),
      verdicts_(sets.size()) {}

void SetVerdicts::judge(std::uint32_t set, Verdict& verdict) const {
    const auto has = [&](std::uint32_t name) { return sets_.contains(set, name); };
    verdict.known = true;
    verdict.forbidden = std::ranges::any_of(forbidden_, has);
    verdict.meets_all = std::ranges::all_of(
        any_of_, [&](const auto& names) { return std::ranges::any_of(names, has); });
}

bool SetVerdicts::meet_all(std::span<const std::uint32_t> sets) const {
    return std::ranges::all_of(any_of_, [&](const auto& names) {
        return std::ranges::any_of(sets, [&](std::uint32_t set) {
            return std::ranges::any_of(
                names, [&](std::uint32_t name) { return sets_.contains(set, name); });
        });
    });
}

}  // namespace berth::core
