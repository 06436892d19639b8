#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/tree/ids.hpp"

namespace berth::core {

/// What a scorer says of one allocatable resource.
struct GroupScore {
    bool found = false;  ///< There is enough of it.
    double score = 0;    ///< The higher, the better used.
    Amount pod = 0;      ///< Used by the pod afterwards.
    Amount node = 0;     ///< Used of the node afterwards.
};

/// Scores one resource of a location, and says how a container's requests are charged to it.
///
/// Shape:  `allocatable`, `pod` and `node` are the resource's amounts before the container;
///         `requested` is what its requests for this resource come to, by total().
/// Source: Mehrotra, "Group Allocator", section II.C, the functions S and Phi, and section III.
class GroupScorer {
public:
    virtual ~GroupScorer() = default;
    /// Two requests of one container for one resource.
    [[nodiscard]] virtual Amount total(Amount one, Amount other) const = 0;
    /// What a container has taken, and what it takes next, where steps are charged one by one and
    /// not as a total.
    [[nodiscard]] virtual Amount carry(Amount before, Amount next, bool init) const = 0;
    [[nodiscard]] virtual GroupScore score(
        Amount allocatable, Amount pod, Amount node, Amount requested, bool init) const = 0;
    /// What the node uses when a pod that used `pod` is gone.
    [[nodiscard]] virtual Amount returned(Amount node, Amount pod) const = 0;
};

struct GroupScorerEntry {
    std::string_view name;
    std::string_view summary;
    const GroupScorer& (*get)();
};

/// All scorers by name: core/group_allocator/scorers/group_scorers.def, one line a file.
[[nodiscard]] std::span<const GroupScorerEntry> group_scorers();
/// The scorer of that name, or nullptr.
[[nodiscard]] const GroupScorer* find_group_scorer(std::string_view name);
/// The scorer of a resource for which none is named: `enumeration` where the last part of its name
/// begins with `enum`, in any case, else `leftover`.
[[nodiscard]] const GroupScorer& default_group_scorer(std::string_view resource);

}  // namespace berth::core
