#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/allocation_candidates/name_table.hpp"

namespace berth::core {

/// What a group asks of the traits, or of the aggregates, of a provider: a bit for each list of
/// which one name is needed, and names that it may not have. Providers share their sets of names,
/// so each set is judged once.
class SetVerdicts {
public:
    /// Names that nobody has are left out of the lists; a list without names is met by none.
    SetVerdicts(const NameSets& sets,
                std::vector<std::vector<std::uint32_t>> any_of,
                std::vector<std::uint32_t> forbidden);

    [[nodiscard]] bool asks_for_something() const { return !any_of_.empty(); }
    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& any_of() const { return any_of_; }
    /// Every list is met.
    [[nodiscard]] bool meets_all(std::uint32_t set) { return verdict(set).meets_all; }
    [[nodiscard]] bool has_forbidden(std::uint32_t set) { return verdict(set).forbidden; }
    /// Meets every list, and has nothing forbidden.
    [[nodiscard]] bool accepts(std::uint32_t set) {
        const Verdict& found = verdict(set);
        return found.meets_all && !found.forbidden;
    }
    /// Whether the sets together meet every list.
    [[nodiscard]] bool meet_all(std::span<const std::uint32_t> sets) const;

private:
    struct Verdict {
        bool known = false;
        bool meets_all = false;
        bool forbidden = false;
    };
    const Verdict& verdict(std::uint32_t set) {
        Verdict& found = verdicts_[set];
        if (!found.known) {
            judge(set, found);
        }
        return found;
    }
    void judge(std::uint32_t set, Verdict& verdict) const;

    const NameSets& sets_;
    std::vector<std::vector<std::uint32_t>> any_of_;
    std::vector<std::uint32_t> forbidden_;
    std::vector<Verdict> verdicts_;  ///< By set.
};

}  // namespace berth::core
