#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/tree/ids.hpp"

namespace berth::core {

/// What a scorer says of one allocatable resource.
struct GroupScore {
    bool found = false;  ///< There is enough of it.
    double score = 0;    ///< The higher the score, the better the resource is used.
    Amount pod = 0;      ///< The pod's use afterwards.
    Amount node = 0;     ///< The use on the node afterwards.
};

/// Scores one resource of a location, and says how a container's requests are charged to it.
///
/// Shape:  `allocatable`, `pod` and `node` are the resource's amounts before the container;
///         `requested` is the total() of its requests for this resource.
/// Source: Mehrotra, "Group Allocator", section II.C, the functions S and Phi, and section III.
class GroupScorer {
public:
    virtual ~GroupScorer() = default;
    /// The total of two requests of one container for one resource.
    [[nodiscard]] virtual Amount total(Amount one, Amount other) const = 0;
    /// What a container has taken and what it takes next, where steps are charged one by one and
    /// not as a total.
    [[nodiscard]] virtual Amount carry(Amount before, Amount next, bool init) const = 0;
    [[nodiscard]] virtual GroupScore score(
        Amount allocatable, Amount pod, Amount node, Amount requested, bool init) const = 0;
    /// What the node uses after a pod that used `pod` is gone.
    [[nodiscard]] virtual Amount returned(Amount node, Amount pod) const = 0;
};

struct GroupScorerEntry {
    std::string_view name;
    std::string_view summary;
    const GroupScorer& (*get)();
};

/// All scorers by name, from core/group_allocator/scorers/group_scorers.def, which has one line for
/// each file.
[[nodiscard]] std::span<const GroupScorerEntry> group_scorers();
/// The scorer with that name, or nullptr.
[[nodiscard]] const GroupScorer* find_group_scorer(std::string_view name);
/// The scorer of a resource for which none is named: `enumeration` if the last part of the
/// resource's name begins with `enum`, in upper or lower case, else `leftover`.
[[nodiscard]] const GroupScorer& default_group_scorer(std::string_view resource);

}  // namespace berth::core
