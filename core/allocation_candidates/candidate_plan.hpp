#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "core/allocation_candidates/name_table.hpp"
#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// What a group demands of the traits, or of the aggregates, of a provider: lists of which one name
/// each is needed, and names that the provider must not have. Providers share their sets of names,
/// so each set is judged once.
class SetVerdicts {
public:
    /// The lists must not contain names that no provider has. No set of names meets an empty list.
    SetVerdicts(const NameSets& sets,
                std::vector<std::vector<std::uint32_t>> any_of,
                std::vector<std::uint32_t> forbidden);

    [[nodiscard]] bool asks_for_something() const { return !any_of_.empty(); }
    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& any_of() const { return any_of_; }
    /// Whether a set meets every list.
    [[nodiscard]] bool meets_all(std::uint32_t set) { return verdict(set).meets_all; }
    [[nodiscard]] bool has_forbidden(std::uint32_t set) { return verdict(set).forbidden; }
    /// Whether a set meets every list and has no forbidden name.
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
    std::vector<Verdict> verdicts_;  ///< One for each set of names, by its number.
};

/// A group of a query, with its names looked up in a forest.
struct PlannedGroup {
    bool suffixed = false;
    bool has_resources = true;
    SetVerdicts traits;
    SetVerdicts aggregates;
    std::optional<TreeIndex> in_tree;
    std::vector<std::size_t> parts;

    /// Whether the providers of its parts need the traits together, and not each of them.
    [[nodiscard]] bool has_joint_traits() const { return !suffixed && traits.asks_for_something(); }
};

/// A query whose names are looked up: everything about it that does not change with usages.
class CandidatePlan {
public:
    CandidatePlan(const ProviderForest& forest, const CandidateQuery& query);

    [[nodiscard]] const ProviderForest& forest() const { return forest_; }
    [[nodiscard]] const CandidateQuery& query() const { return query_; }
    [[nodiscard]] const std::vector<CandidatePart>& parts() const { return parts_; }
    [[nodiscard]] PlannedGroup& group_of(std::size_t part) { return groups_[parts_[part].group]; }
    [[nodiscard]] std::vector<PlannedGroup>& groups() { return groups_; }
    /// The parts of each list of same_subtree.
    [[nodiscard]] const std::vector<std::vector<std::size_t>>& same_subtree() const {
        return same_subtree_;
    }
    /// For each part, the lists of same_subtree that it is in.
    [[nodiscard]] const std::vector<std::size_t>& subtrees_of(std::size_t part) const {
        return subtrees_of_[part];
    }
    /// The bits of the classes that the part asks for, in the form of ProviderForest::class_bits().
    [[nodiscard]] std::uint64_t class_bits(std::size_t part) const { return class_bits_[part]; }
    /// Whether more than one part asks for the class, so that what they take of one provider adds
    /// up.
    [[nodiscard]] bool is_contended(ClassIndex type) const { return asked_by_[type] > 1; }
    [[nodiscard]] const std::vector<ClassIndex>& contended() const { return contended_; }

    /// Lists of parts. The provider of a part does not matter to parts of other lists, and every
    /// part is in one list.
    [[nodiscard]] const std::vector<std::vector<std::size_t>>& parts_by_interest() const {
        return parts_by_interest_;
    }
    [[nodiscard]] bool has_joint_traits(std::size_t part) const {
        return groups_[parts_[part].group].has_joint_traits();
    }

    /// Whether a resource class or a trait of the query does not exist.
    [[nodiscard]] bool has_unknown_names() const { return has_unknown_names_; }
    /// Whether nothing can be a candidate, whatever is in use.
    [[nodiscard]] bool is_empty() const { return is_empty_; }

    [[nodiscard]] bool allows_root(TreeIndex tree) {
        return root_.accepts(forest_.trait_set(forest_.root(tree)));
    }
    [[nodiscard]] const SetVerdicts& root() const { return root_; }
    /// Whether one provider may serve a part, by what it has left and by what the group demands of
    /// every provider. For the unsuffixed group there are further demands.
    [[nodiscard]] bool may_serve(ProviderIndex provider, std::size_t part);
    /// Whether a provider that may serve a part also meets the further demands, in candidates
    /// anchored at `tree`.
    [[nodiscard]] bool may_serve_at(ProviderIndex provider, std::size_t part, TreeIndex tree);

    /// Whether a sharing provider may serve a part in trees other than its own.
    [[nodiscard]] bool may_serve_elsewhere(ProviderIndex sharing, std::size_t part);

private:
    PlannedGroup plan_group(const CandidateGroup& group);
    void plan_parts(std::size_t index);
    void plan_same_subtree();
    void plan_interests();
    [[nodiscard]] bool concern_each_other(std::size_t a, std::size_t b) const;

    const ProviderForest& forest_;
    const CandidateQuery& query_;
    bool has_unknown_names_ = false;
    bool is_empty_ = false;
    SetVerdicts root_;
    std::vector<PlannedGroup> groups_;
    std::vector<CandidatePart> parts_;
    std::vector<std::uint64_t> class_bits_;  ///< The class bits of each part.
    std::vector<std::vector<std::size_t>> same_subtree_;
    std::vector<std::vector<std::size_t>> subtrees_of_;
    std::vector<std::uint32_t> asked_by_;  ///< The number of parts that ask for each class.
    std::vector<ClassIndex> contended_;
    std::vector<std::vector<std::size_t>> parts_by_interest_;
};

/// The fault that the service answers with, if it notices it: it evaluates group by group, and
/// stops at the first group that nothing can serve.
/// Source: Placement 8.0.0, objects/allocation_candidate.py, research_context.py.
[[nodiscard]] std::optional<CandidateQueryFault> unknown_name(const ProviderForest& forest,
                                                              const CandidateQuery& query);

}  // namespace berth::core
