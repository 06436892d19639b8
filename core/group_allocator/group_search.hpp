#pragma once

#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/group_allocator/group_rules.hpp"
#include "core/group_allocator/group_state.hpp"
#include "core/group_allocator/grouped_request.hpp"

namespace berth::core {

/// Why a request was not met: `Insufficient <resource>`.
struct GroupReason {
    std::string resource;
    Amount requested = 0;
    Amount used = 0;
    Amount capacity = 0;

    friend auto operator<=>(const GroupReason&, const GroupReason&) = default;
};

/// Where a subgroup of a request went: the child, and the same for the subgroups inside it.
struct GroupChoice {
    std::uint32_t child = 0;
    const GroupChoice* inner = nullptr;
};

/// A part of a request at a location, and where its subgroups went.
struct PlacedPart {
    const GroupedRequest::Part* part = nullptr;
    const GroupChoice* choices = nullptr;  ///< One for each subgroup.
};

/// The result of trying a part of a request at a location.
struct GroupTry {
    bool found = false;
    double score = 0;
    const GroupState* before = nullptr;
    /// The state with the part's charges, marked if the rules want that. After a failure, the state
    /// that the try got to.
    const GroupState* after = nullptr;
    const GroupChoice* choices = nullptr;  ///< One for each subgroup.
    const GroupState* left = nullptr;      ///< The location's state if it is not taken.
};

/// What has been tried in a search: a part of one kind has the same result at all locations in one
/// state. The memo has a fixed size: an entry that had to make room for a newer one is tried again.
class GroupTryMemo {
public:
    /// Forgets everything.
    void begin() { ++search_; }
    [[nodiscard]] GroupTry* find(std::uint32_t kind, const GroupState& before) const {
        const Entry& entry = entries_[slot(kind, before)];
        const bool same = entry.state == before.id && entry.kind == kind && entry.search == search_;
        return same ? entry.tried : nullptr;
    }
    void add(std::uint32_t kind, const GroupState& before, GroupTry* tried) {
        entries_[slot(kind, before)] = {search_, kind, before.id, tried};
    }

private:
    struct Entry {
        std::uint64_t search = 0;
        std::uint32_t kind = 0;
        std::uint32_t state = 0;
        GroupTry* tried = nullptr;
    };
    static constexpr std::size_t size = 256;
    [[nodiscard]] static std::size_t slot(std::uint32_t kind, const GroupState& before) {
        return (before.id ^ (before.id >> 24U) ^ (kind * 37U)) % size;
    }

    std::array<Entry, size> entries_{};
    std::uint64_t search_ = 0;
};

/// The greedy search for one container's requests: Mehrotra, "Group Allocator", section III, with
/// the names of that section. A location stands for all locations in the same state.
class GroupSearch {
public:
    /// All arguments outlive the search. Reasons are added to `reasons`.
    GroupSearch(const GroupRules& rules,
                const GroupTree& tree,
                const GroupedRequest& request,
                GroupStateMaker& maker,
                GroupTryMemo& memo,
                std::vector<GroupReason>& reasons);

    /// Allocates the container on the machine in state `root`. `after` is the machine's state in
    /// any case; for the last container it lacks what only a later one would ask for.
    [[nodiscard]] GroupTry allocate(const GroupState& root,
                                    std::string_view container,
                                    bool init,
                                    bool last);
    /// For each demand, the resource that serves it.
    [[nodiscard]] std::vector<std::uint32_t> resources(const GroupTry& found) const;
    [[nodiscard]] std::uint64_t locations_tried() const { return locations_tried_; }

private:
    // `explains`: reasons are wanted. `last`: nothing is allocated afterwards.
    bool allocate_group(const GroupedRequest::Part& part,
                        GroupState& parent,
                        std::uint32_t parent_location,
                        bool explains,
                        bool last,
                        GroupChoice& choice);
    /// The result of the part at a location, or that of another part of its kind at another
    /// location in the same state. A failure that has to be explained is tried again.
    GroupTry* try_at(const GroupedRequest::Part& part,
                     const GroupState& before,
                     std::uint32_t location,
                     bool explains,
                     bool last) {
        GroupTry* known = memo_.find(part.kind, before);
        if (known == nullptr || (explains && !known->found)) {
            known = new (maker_.arena().allocate<GroupTry>(1))
                GroupTry(allocate_group_at(part, before, location, explains, last));
            memo_.add(part.kind, before, known);
        }
        return known;
    }
    GroupTry allocate_group_at(const GroupedRequest::Part& part,
                               const GroupState& before,
                               std::uint32_t location,
                               bool explains,
                               bool last);
    bool resource_available(const GroupedRequest::Part& part,
                            const GroupState& state,
                            bool explains);
    void explain_base(const GroupedRequest::Base& base,
                      const GroupState& state,
                      std::optional<std::uint32_t> index);
    void charge_bases(const GroupedRequest::Part& part, GroupState& state);
    bool allocate_sub_groups(const GroupedRequest::Part& part,
                             GroupState& state,
                             std::uint32_t location,
                             bool explains,
                             bool last,
                             std::span<GroupChoice> choices);
    void find_score_and_update(const GroupedRequest::Part& part,
                               GroupTry& tried,
                               GroupState& state,
                               std::uint32_t location,
                               bool explains);

    [[nodiscard]] bool is_available(std::uint32_t demand,
                                    const GroupUse& use,
                                    const GroupShape::Resource& resource) const;
    /// Whether to take this candidate rather than the best so far. The rules say which of equal
    /// ones to take.
    [[nodiscard]] bool is_better(const GroupTry* best, const GroupTry& next) const {
        if (!rules_.last_of_equals) {
            return best == nullptr || next.score > best->score;
        }
        const bool as_good = next.score >= (best != nullptr ? best->score : 0.0);
        return best != nullptr && best->before->used ? next.before->used && as_good
                                                     : next.before->used || as_good;
    }
    const GroupState* left_behind(GroupTry& tried);
    void explain_shortage(const GroupState& before,
                          const GroupState& after,
                          std::uint32_t location,
                          std::span<const PlacedPart> placed);
    void collect(const GroupedRequest::Part& part,
                 const GroupChoice* choices,
                 std::uint32_t location,
                 std::vector<std::uint32_t>& resources) const;

    const GroupRules& rules_;
    const GroupTree& tree_;
    const GroupedRequest& request_;
    GroupStateMaker& maker_;
    GroupTryMemo& memo_;
    std::vector<GroupReason>& reasons_;
    std::string_view prefix_;  ///< The prefix of names in reasons: the container's name.
    bool init_ = false;
    std::uint64_t locations_tried_ = 0;
};

/// The total that the parts at a location ask of one of its base resources.
[[nodiscard]] Amount demanded(const GroupedRequest& request,
                              std::span<const PlacedPart> placed,
                              const GroupShape::Resource& resource);
/// The parts that went to a child of the location where `placed` are.
[[nodiscard]] std::vector<PlacedPart> placed_inside(const GroupedRequest& request,
                                                    std::span<const PlacedPart> placed,
                                                    std::uint32_t child);

}  // namespace berth::core
