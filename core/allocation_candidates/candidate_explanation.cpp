#include "core/allocation_candidates/candidate_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/allocation_candidates/candidate_conditions.hpp"
#include "core/allocation_candidates/candidate_search.hpp"
#include "core/allocation_candidates/provider_names.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

using Kind = ConditionKind;

bool contains(const NameTable& table,
              const NameSets& sets,
              std::uint32_t set,
              const std::string& name) {
    const auto number = table.find(name);
    return number && sets.contains(set, *number);
}

bool root_passes(const ProviderForest& forest, const CandidateQuery& query, TreeIndex tree) {
    const std::uint32_t set = forest.trait_set(forest.root(tree));
    const auto has = [&](const std::string& trait) {
        return contains(forest.traits(), forest.trait_sets(), set, trait);
    };
    return std::ranges::all_of(query.root_required, has) &&
           std::ranges::none_of(query.root_forbidden, has);
}

/// The trees at which a candidate is anchored; if the query has no group, the trees whose root is
/// allowed. There are none for a query that names what does not exist.
std::vector<TreeIndex> anchors_of(const ProviderForest& forest, const CandidateQuery& query) {
    if (!query.groups.empty()) {
        const CandidateSearch search(forest, query);
        return search.fault() ? std::vector<TreeIndex>() : search.anchors();
    }
    std::vector<TreeIndex> passing(forest.tree_count());
    std::iota(passing.begin(), passing.end(), TreeIndex{0});
    std::erase_if(passing, [&](TreeIndex tree) { return !root_passes(forest, query, tree); });
    return passing;
}

/// Providers that have room for the amount but that a rule about units keeps from giving it.
struct Barred {
    std::size_t count = 0;
    Amount unit = 0;  ///< The unit nearest to the amount.
    ProviderIndex provider = 0;

    void add(ProviderIndex by, Amount its_unit, bool is_nearer) {
        if (count == 0 || is_nearer) {
            unit = its_unit;
            provider = by;
        }
        ++count;
    }
};

/// What the inventories of one class mean for an amount.
struct Tally {
    const InventoryRow* fullest = nullptr;  ///< The inventory with the most left.
    ProviderIndex fullest_provider = 0;
    Amount most_in_tree = 0;
    TreeIndex fullest_tree = 0;
    Barred max_unit;
    Barred min_unit;
    Barred step_size;

    void add(ProviderIndex provider, const InventoryRow& row, Amount amount) {
        const Amount left = row.capacity - row.used;
        if (fullest == nullptr || left > fullest->capacity - fullest->used) {
            fullest = &row;
            fullest_provider = provider;
        }
        if (left < amount) {
            return;
        }
        if (amount > row.max_unit) {
            max_unit.add(provider, row.max_unit, row.max_unit > max_unit.unit);
        }
        if (amount < row.min_unit) {
            min_unit.add(provider, row.min_unit, row.min_unit < min_unit.unit);
        }
        if (amount % row.step_size != 0) {
            step_size.add(provider, row.step_size, row.step_size < step_size.unit);
        }
    }
};

Tally tally(const ProviderForest& forest, ClassIndex type, Amount amount) {
    Tally found;
    for (TreeIndex tree = 0; tree < forest.tree_count(); ++tree) {
        Amount sum = 0;
        for (ProviderIndex p = forest.root(tree); p < forest.tree_end(tree); ++p) {
            if (const InventoryRow* row = forest.inventory(p, type)) {
                found.add(p, *row, amount);
                const Amount left = std::max<Amount>(row->capacity - row->used, 0);
                sum = std::min(sum + left, CandidateGroup::amount_max);
            }
        }
        if (sum > found.most_in_tree) {
            found.most_in_tree = sum;
            found.fullest_tree = tree;
        }
    }
    return found;
}

/// Why no provider of a forest gives an amount of a resource class, one sentence for each cause:
/// there is no inventory, none has that much left (and whether a tree has it in pieces), or the
/// providers that have it left have other units.
/// Cost: O(providers).
std::vector<std::string> why_no_amount(const ProviderForest& forest,
                                       const ProviderNames& names,
                                       const std::string& type,
                                       Amount amount) {
    const auto number = forest.classes().find(type);
    const Tally found = number ? tally(forest, *number, amount) : Tally();
    if (found.fullest == nullptr) {
        return {fmt::format("no provider has an inventory of {}", type)};
    }
    std::vector<std::string> causes;
    if (found.fullest->capacity - found.fullest->used < amount) {
        causes.push_back(
            fmt::format("no provider has {} {} left: {} has the most, with {} of {} used",
                        amount,
                        type,
                        names(found.fullest_provider),
                        found.fullest->used,
                        found.fullest->capacity));
        if (found.most_in_tree >= amount) {
            causes.push_back(fmt::format(
                "the tree of {} has {} in pieces: one provider has to give what one group asks "
                "for, and several groups may ask for parts",
                names(forest.root(found.fullest_tree)),
                found.most_in_tree));
        }
    }
    const auto say = [&](const Barred& barred, std::string_view rule, std::string_view unit) {
        if (barred.count > 0) {
            causes.push_back(
                fmt::format("{} {} room for it, but {} lets a request have {} {}, as on {}",
                            barred.count,
                            barred.count == 1 ? "provider has" : "providers have",
                            unit,
                            rule,
                            barred.unit,
                            names(barred.provider)));
        }
    };
    say(found.max_unit, "at most", "max_unit");
    say(found.min_unit, "at least", "min_unit");
    say(found.step_size, "multiples of", "step_size");
    return causes;
}

/// A condition that leaves no tree.
struct LastCondition {
    const ProviderForest& forest;
    const CandidateQuery& query;
    const CandidateCondition& condition;
    const CandidateQuery& before;        ///< The conditions before it.
    const CandidateQuery& with;          ///< These conditions and the condition itself.
    const std::vector<TreeIndex>& left;  ///< The anchors that the conditions before it leave.
    /// The anchors of the condition alone, if it has a meaning alone.
    const std::vector<TreeIndex>& alone;
};

std::string trees(std::size_t count) {
    return fmt::format("{} {}", count, count == 1 ? "tree" : "trees");
}

/// The names in the form `A` or `any of A, B`.
std::string any_of(const AnyOf& names) {
    return fmt::format("{}{}", names.size() > 1 ? "any of " : "", join(names, ", "));
}

class Causes {
public:
    explicit Causes(const LastCondition& last)
        : last_(last), forest_(last.forest), names_(last.forest) {
        std::ranges::set_intersection(last.left, last.alone, std::back_inserter(both_));
    }

    std::vector<std::string> find() const {
        if (forest_.tree_count() == 0) {
            return {"there are no providers"};
        }
        switch (last_.condition.kind) {
            case Kind::root_required:
            case Kind::root_forbidden:
                return {roots()};
            case Kind::resources:
                return resources();
            case Kind::required:
                return {required()};
            case Kind::member_of:
                return {member_of()};
            case Kind::in_tree:
                return {in_tree()};
            case Kind::forbidden:
            case Kind::forbidden_member:
                return {forbidden()};
            case Kind::isolate:
                return {
                    "in no tree left above can all groups with a suffix have different "
                    "providers"};
            case Kind::same_subtree:
                break;
        }
        return {
            "none of the providers that can serve these groups is above all the others: a common "
            "parent counts only if it serves one of the groups itself, be it a group without "
            "resources"};
    }

private:
    [[nodiscard]] const CandidateGroup& group() const {
        return last_.query.groups[last_.condition.group];
    }
    /// The anchors of only the group, with the conditions of it that have been taken so far.
    [[nodiscard]] std::vector<TreeIndex> group_anchors() const {
        return anchors_of(forest_, query_of_group(last_.with.groups[last_.condition.group]));
    }
    /// The first provider that is in a tree, or shared with it, and for which `holds` is true.
    template <class Holds>
    [[nodiscard]] std::optional<ProviderIndex> provider_in(TreeIndex tree, Holds holds) const {
        for (ProviderIndex p = forest_.root(tree); p < forest_.tree_end(tree); ++p) {
            if (holds(p)) {
                return p;
            }
        }
        for (const std::uint32_t i : forest_.shared_with(tree)) {
            if (holds(forest_.sharing()[i])) {
                return forest_.sharing()[i];
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] bool has_trait(ProviderIndex provider, const AnyOf& names) const {
        return std::ranges::any_of(names, [&](const std::string& name) {
            return contains(
                forest_.traits(), forest_.trait_sets(), forest_.trait_set(provider), name);
        });
    }
    [[nodiscard]] bool is_member(ProviderIndex provider, const AnyOf& names) const {
        return std::ranges::any_of(names, [&](const std::string& name) {
            return contains(forest_.aggregates(),
                            forest_.aggregate_sets(),
                            forest_.aggregate_set(provider),
                            name);
        });
    }

    [[nodiscard]] std::string none_of_both(std::string_view what) const {
        return fmt::format("none of the {} {} is among the {} left above",
                           trees(last_.alone.size()),
                           what,
                           trees(last_.left.size()));
    }
    /// The text `2 of the 3 trees left above`.
    [[nodiscard]] std::string of_left(std::size_t count) const {
        return count == last_.left.size()
                   ? fmt::format("{}{} left above", count > 1 ? "all " : "the ", trees(count))
                   : fmt::format("{} of the {} left above", count, trees(last_.left.size()));
    }
    /// The text for a group that can be served by itself.
    [[nodiscard]] std::string not_together(const std::vector<TreeIndex>& anchors) const {
        std::vector<TreeIndex> here;
        std::ranges::set_intersection(anchors, last_.left, std::back_inserter(here));
        if (here.empty()) {
            return fmt::format("the group can have it in {}, none among the {} left above",
                               trees(anchors.size()),
                               trees(last_.left.size()));
        }
        return fmt::format(
            "in {} the group can have it, but not besides what other groups take there",
            of_left(here.size()));
    }

    [[nodiscard]] std::string roots() const {
        const bool required = last_.condition.kind == Kind::root_required;
        const std::string& trait = required ? last_.query.root_required[last_.condition.index]
                                            : last_.query.root_forbidden[last_.condition.index];
        if (last_.alone.empty()) {
            return fmt::format("{} root has {}", required ? "no" : "every", trait);
        }
        return none_of_both(fmt::format("whose root {} {}", required ? "has" : "has no", trait));
    }

    [[nodiscard]] std::vector<std::string> resources() const {
        const auto& [type, amount] = group().resources[last_.condition.index];
        if (last_.alone.empty()) {
            return why_no_amount(forest_, names_, type, amount);
        }
        const std::vector<TreeIndex> anchors = group_anchors();
        CandidateGroup together = last_.with.groups.back();
        if (!together.suffix.empty() && anchors.empty()) {
            together.suffix.clear();
            if (const auto apart = anchors_of(forest_, query_of_group(together)); !apart.empty()) {
                return {fmt::format(
                    "no single provider has it all, as a group with a suffix wants it; in {} "
                    "several have it together, which would do for a group without a suffix",
                    trees(apart.size()))};
            }
        }
        return {both_.empty() ? none_of_both("that have it") : not_together(anchors)};
    }

    [[nodiscard]] std::string required() const {
        const AnyOf& names = group().required[last_.condition.index];
        if (last_.alone.empty()) {
            return fmt::format("no provider has {}", any_of(names));
        }
        if (both_.empty()) {
            return none_of_both("where a provider has it");
        }
        if (const auto anchors = group_anchors(); !anchors.empty()) {
            return not_together(anchors);
        }
        const auto having = provider_in(
            both_.front(), [&](ProviderIndex provider) { return has_trait(provider, names); });
        return fmt::format(
            "in {} a provider has it, such as {}, but none that serves the group: traits count on "
            "the "
            "providers that serve it",
            of_left(both_.size()),
            names_(*having));
    }

    [[nodiscard]] std::string member_of() const {
        const AnyOf& names = group().member_of[last_.condition.index];
        if (last_.alone.empty()) {
            return fmt::format("no provider is in {}", any_of(names));
        }
        if (both_.empty()) {
            return none_of_both("where a provider is in it");
        }
        if (const auto anchors = group_anchors(); !anchors.empty()) {
            return not_together(anchors);
        }
        const TreeIndex tree = both_.front();
        const ProviderIndex root = forest_.root(tree);
        const ProviderIndex member =
            *provider_in(tree, [&](ProviderIndex provider) { return is_member(provider, names); });
        const bool is_local = forest_.tree(member) == tree;
        if (group().suffix.empty() && is_local && member != root) {
            return fmt::format(
                "{} is in it, and its root {} is not: only the aggregates of a root count for its "
                "whole tree",
                names_(member),
                names_(root));
        }
        if (!group().suffix.empty() && member == root) {
            return fmt::format(
                "{} is in it, and does not serve the group: for a group with a suffix only the "
                "aggregates of the provider itself count",
                names_(root));
        }
        return fmt::format("{} is in it, but not what the group needs", names_(member));
    }

    [[nodiscard]] std::string in_tree() const {
        if (group().resources.empty() && group().required.empty() && group().member_of.empty()) {
            return "a group without resources is served by what has its required traits or "
                   "aggregates, and it asks for none";
        }
        const auto provider = forest_.find(*group().in_tree);
        if (!provider) {
            return "no provider has this uuid";
        }
        if (const auto anchors = group_anchors(); !anchors.empty()) {
            return not_together(anchors);
        }
        const TreeIndex tree = forest_.tree(*provider);
        const std::string_view root = names_(forest_.root(tree));
        if (group().suffix.empty() && std::ranges::binary_search(last_.left, tree)) {
            return fmt::format(
                "the tree of {} has not all of it by itself: in_tree of a group without a suffix "
                "bars what other trees share with it",
                root);
        }
        return fmt::format("the tree of {} cannot serve the group", root);
    }

    [[nodiscard]] std::string forbidden() const {
        const CandidateGroup& so_far = last_.with.groups.back();
        if (so_far.resources.empty() && so_far.required.empty() && so_far.member_of.empty()) {
            return "a group without resources is served by what has its required traits or "
                   "aggregates, and it asks for none";
        }
        return fmt::format(
            "every candidate left above takes a provider {} for the group",
            last_.condition.kind == Kind::forbidden ? "with this trait" : "in this aggregate");
    }

    const LastCondition& last_;
    const ProviderForest& forest_;
    ProviderNames names_;
    /// The trees that the conditions above leave and that this condition alone leaves, too.
    std::vector<TreeIndex> both_;
};

/// Why the condition leaves nothing, one sentence for each cause.
std::vector<std::string> causes_of(const LastCondition& last) {
    return Causes(last).find();
}

}  // namespace

CandidateExplanation explain_candidates(const ProviderForest& forest, const CandidateQuery& query) {
    CandidateExplanation explanation;
    explanation.trees = forest.tree_count();
    CandidateQuery reduced;
    std::vector<TreeIndex> left = anchors_of(forest, reduced);
    for (const CandidateCondition& condition : conditions_of(query)) {
        ExplainedCondition& entry = explanation.conditions.emplace_back();
        entry.text = text_of(query, condition);
        std::vector<TreeIndex> alone;
        if (const auto only = query_alone(query, condition)) {
            alone = anchors_of(forest, *only);
            entry.trees_alone = alone.size();
        }
        if (explanation.culprit) {
            continue;
        }
        const CandidateQuery before = reduced;
        add_condition(query, condition, reduced);
        const std::vector<TreeIndex> now = anchors_of(forest, reduced);
        entry.trees_left = now.size();
        if (now.empty()) {
            explanation.culprit = explanation.conditions.size() - 1;
            explanation.causes =
                causes_of({forest, query, condition, before, reduced, left, alone});
        }
        left = now;
    }
    return explanation;
}

}  // namespace berth::core
