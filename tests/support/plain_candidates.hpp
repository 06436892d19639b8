#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/allocation_candidates/provider_names.hpp"
#include "core/tree/resource_provider.hpp"

namespace berth::tests {

/// The answer to a query.
struct PlainAnswer {
    std::optional<std::string> fault;  ///< Why the query is refused; absent if it is not.
    /// Candidates by their JSON (one line with sorted keys), each with the roots of the trees from
    /// which it takes something.
    std::map<std::string, std::set<std::string>> candidates;
    /// The candidates anchored at each root, by the root's uuid.
    std::map<std::string, std::set<std::string>> anchored;

    /// The first `limit` candidates, or all of them.
    [[nodiscard]] std::vector<std::string> first(std::optional<std::uint64_t> limit) const {
        std::vector<std::string> out;
        for (const auto& [text, trees] : candidates) {
            if (!limit || out.size() < *limit) {
                out.push_back(text);
            }
        }
        return out;
    }
};

/// Calls `visit` for every way to choose one element of each list.
template <class T, class Visit>
void for_each_choice(const std::vector<std::vector<T>>& lists, const Visit& visit) {
    if (std::ranges::any_of(lists, [](const auto& list) { return list.empty(); })) {
        return;
    }
    std::vector<std::size_t> at(lists.size(), 0);
    for (bool more = true; more;) {
        std::vector<const T*> choice;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            choice.push_back(&lists[i][at[i]]);
        }
        visit(choice);
        more = false;
        for (std::size_t i = lists.size(); i-- > 0 && !more;) {
            more = ++at[i] < lists[i].size();
            at[i] = more ? at[i] : 0;
        }
    }
}

/// The search for allocation candidates, written as its rules are stated: it works on sets of
/// names, checks every provider for everything, and builds every combination before judging it.
/// core::CandidateSearch must find the same.
class PlainCandidates {
public:
    explicit PlainCandidates(const std::vector<core::ResourceProvider>& providers,
                             std::set<std::string> extra_traits = {},
                             std::set<std::string> extra_classes = {})
        : traits_(std::move(extra_traits)), classes_(std::move(extra_classes)) {
        for (const core::ResourceProvider& provider : providers) {
            Provider& kept = providers_[provider.uuid];
            kept.inventories = provider.inventories;
            kept.used = provider.usages;
            kept.traits = {provider.traits.begin(), provider.traits.end()};
            kept.aggregates = {provider.aggregates.begin(), provider.aggregates.end()};
            parents_[provider.uuid] = provider.parent_uuid;
            traits_.insert(kept.traits.begin(), kept.traits.end());
            for (const auto& [type, inventory] : provider.inventories) {
                classes_.insert(type);
            }
        }
        for (auto& [uuid, provider] : providers_) {
            provider.root = uuid;
            provider.above = {uuid};
            while (parents_.at(provider.root)) {
                provider.root = *parents_.at(provider.root);
                provider.above.insert(provider.root);
            }
            if (provider.root == uuid) {
                roots_.insert(uuid);
            }
        }
        for (auto& [uuid, provider] : providers_) {
            for (const auto& [other_uuid, other] : providers_) {
                if (provider.traits.contains(std::string(core::sharing_trait)) &&
                    meet(provider.aggregates, other.aggregates)) {
                    provider.serves.insert(other.root);
                }
            }
            provider.serves.insert(provider.root);
        }
    }

    void add_usage(const std::string& uuid, const std::string& type, core::Amount amount) {
        providers_.at(uuid).used[type] += amount;
    }

    /// Answers the query, without regard to its limit.
    [[nodiscard]] PlainAnswer answer(const core::CandidateQuery& query) const {
        PlainAnswer out;
        try {
            const std::set<std::string> anchors = allowed_anchors(query);
            std::vector<Solutions> found;
            for (const core::CandidateGroup& group : query.groups) {
                found.push_back(group.suffix.empty() ? unsuffixed(group, anchors)
                                                     : suffixed(group, anchors));
                if (found.back().empty()) {
                    return out;
                }
            }
            for (const std::string& anchor : anchors) {
                merge(query, anchor, found, out);
            }
        } catch (const Fault& fault) {
            out.fault = fault.reason;
        } catch (const Nothing&) {  // out stays empty
        }
        return out;
    }

    /// The providers that are summarised along with the first candidates of an answer, or with all.
    [[nodiscard]] std::set<std::string> summarised(const PlainAnswer& answer,
                                                   std::optional<std::uint64_t> limit) const {
        std::set<std::string> out;
        for (const std::string& text : answer.first(limit)) {
            for (const auto& [uuid, provider] : providers_) {
                if (answer.candidates.at(text).contains(provider.root)) {
                    out.insert(uuid);
                }
            }
        }
        return out;
    }

private:
    using Names = std::set<std::string>;
    struct Provider {
        Names above;  ///< The provider itself, its parent, its parent's parent and so on.
        std::string root;
        Names serves;  ///< The roots of its own tree and of the trees that it shares with.
        std::map<std::string, core::ProviderInventory> inventories;
        std::map<std::string, core::Amount> used;
        Names traits;
        Names aggregates;
    };
    /// Amounts taken, by provider and resource class.
    using Taken = std::map<std::pair<std::string, std::string>, core::Amount>;
    struct Solution {
        Taken taken;
        Names providers;
    };
    using Solutions = std::map<std::string, std::vector<Solution>>;  ///< Solutions by anchor.
    struct Fault {
        std::string reason;
    };
    struct Nothing {};

    template <class Range>
    static bool meet(const Names& a, const Range& b) {
        return std::ranges::any_of(b, [&](const std::string& name) { return a.contains(name); });
    }
    static bool meets_all(const Names& names, const std::vector<core::AnyOf>& sets) {
        return std::ranges::all_of(sets, [&](const auto& set) { return meet(names, set); });
    }

    void know_traits(const std::vector<std::vector<std::string>>& lists) const {
        Names unknown;
        for (const std::vector<std::string>& names : lists) {
            for (const std::string& name : names) {
                if (!traits_.contains(name) &&
                    std::ranges::count(core::standard_traits(), name) == 0) {
                    unknown.insert(name);
                }
            }
        }
        std::string list;
        for (const std::string& name : unknown) {
            list += (list.empty() ? "" : ", ") + name;
        }
        if (!unknown.empty()) {
            throw Fault{"No such trait(s): " + list + "."};
        }
    }
    void know_classes(const core::CandidateGroup& group) const {
        for (const auto& [type, amount] : group.resources) {
            if (!classes_.contains(type) &&
                std::ranges::count(core::standard_resource_classes(), type) == 0) {
                throw Fault{
                    "Invalid resource class in resources parameter: No such resource class " +
                    type + "."};
            }
        }
    }

    [[nodiscard]] Names allowed_anchors(const core::CandidateQuery& query) const {
        know_traits({query.root_required, query.root_forbidden});
        Names out;
        for (const std::string& root : roots_) {
            const Names& traits = providers_.at(root).traits;
            if (std::ranges::all_of(query.root_required,
                                    [&](const auto& name) { return traits.contains(name); }) &&
                !meet(traits, query.root_forbidden)) {
                out.insert(root);
            }
        }
        if (out.empty() && out != roots_) {
            throw Nothing{};
        }
        return out;
    }

    [[nodiscard]] bool fits(const Provider& provider,
                            const std::string& type,
                            core::Amount amount) const {
        const auto found = provider.inventories.find(type);
        return found != provider.inventories.end() && has_room(provider, type, amount) &&
               amount >= found->second.min_unit && amount % found->second.step_size == 0;
    }
    [[nodiscard]] bool has_room(const Provider& provider,
                                const std::string& type,
                                core::Amount amount) const {
        const core::ProviderInventory& inventory = provider.inventories.at(type);
        const auto capacity = static_cast<core::Amount>(
            static_cast<double>(inventory.total - inventory.reserved) * inventory.allocation_ratio);
        const auto used = provider.used.find(type);
        return (used == provider.used.end() ? 0 : used->second) + amount <= capacity &&
               amount <= inventory.max_unit;
    }

    /// Checks a group in the same order as the service, which stops at the first fault. Returns, by
    /// resource class, the providers that can give it, anywhere or in the group's tree.
    [[nodiscard]] std::map<std::string, Names> where(const core::CandidateGroup& group) const {
        know_classes(group);
        const auto is_member = [&](const auto& one) {
            return meets_all(one.second.aggregates, group.member_of);
        };
        if (!group.member_of.empty() && std::ranges::none_of(providers_, is_member)) {
            throw Nothing{};
        }
        know_traits(group.required);
        know_traits({group.forbidden});
        if (group.in_tree && !providers_.contains(*group.in_tree)) {
            throw Nothing{};
        }
        std::map<std::string, Names> out;
        for (const auto& [type, amount] : group.resources) {
            for (const auto& [uuid, provider] : providers_) {
                if (fits(provider, type, amount) &&
                    (!group.in_tree || provider.root == providers_.at(*group.in_tree).root)) {
                    out[type].insert(uuid);
                }
            }
            if (out[type].empty()) {
                throw Nothing{};
            }
        }
        return out;
    }

    /// One provider serves the whole group.
    [[nodiscard]] Solutions suffixed(const core::CandidateGroup& group,
                                     const Names& anchors) const {
        const std::map<std::string, Names> having = where(group);
        Solutions out;
        // Without resources and without any positive filter, the service does not search.
        if (group.resources.empty() && group.required.empty() && group.member_of.empty()) {
            return out;
        }
        for (const auto& [uuid, provider] : providers_) {
            Solution solution{{}, {uuid}};
            bool good = meets_all(provider.aggregates, group.member_of) &&
                        !meet(provider.aggregates, group.forbidden_members) &&
                        meets_all(provider.traits, group.required) &&
                        !meet(provider.traits, group.forbidden);
            for (const auto& [type, amount] : group.resources) {
                good = good && having.at(type).contains(uuid);
                solution.taken[{uuid, type}] = amount;
            }
            for (const std::string& anchor : provider.serves) {
                if (good && anchors.contains(anchor)) {
                    out[anchor].push_back(solution);
                }
            }
        }
        return out;
    }

    /// Each resource class may come from a different provider.
    [[nodiscard]] Solutions unsuffixed(const core::CandidateGroup& group,
                                       const Names& anchors) const {
        const std::map<std::string, Names> having = where(group);
        Solutions out;
        for (const std::string& anchor : anchors) {
            std::vector<std::vector<std::string>> choices;
            for (const auto& [type, amount] : group.resources) {
                choices.emplace_back();
                for (const std::string& uuid : having.at(type)) {
                    if (may_serve(group, anchor, providers_.at(uuid))) {
                        choices.back().push_back(uuid);
                    }
                }
            }
            for_each_choice(choices, [&](const std::vector<const std::string*>& choice) {
                Solution solution;
                Names traits;
                for (std::size_t i = 0; i < choice.size(); ++i) {
                    const auto& [type, amount] = group.resources[i];
                    solution.taken[{*choice[i], type}] = amount;
                    solution.providers.insert(*choice[i]);
                    const Names& more = providers_.at(*choice[i]).traits;
                    traits.insert(more.begin(), more.end());
                }
                if (meets_all(traits, group.required)) {
                    out[anchor].push_back(solution);
                }
            });
        }
        return out;
    }

    /// Whether a provider may be chosen for the unsuffixed group in the tree of `anchor`.
    [[nodiscard]] bool may_serve(const core::CandidateGroup& group,
                                 const std::string& anchor,
                                 const Provider& provider) const {
        const Names& at_anchor = providers_.at(anchor).aggregates;
        const bool member = meets_all(provider.aggregates, group.member_of);
        const bool local = provider.root == anchor;
        const bool shared = provider.serves.contains(anchor) && !group.in_tree && member;
        return (local || shared) && (member || meets_all(at_anchor, group.member_of)) &&
               !meet(provider.aggregates, group.forbidden_members) &&
               !meet(at_anchor, group.forbidden_members) && !meet(provider.traits, group.forbidden);
    }

    void merge(const core::CandidateQuery& query,
               const std::string& anchor,
               const std::vector<Solutions>& found,
               PlainAnswer& out) const {
        std::vector<std::vector<Solution>> lists;
        for (const Solutions& solutions : found) {
            const auto here = solutions.find(anchor);
            lists.push_back(here == solutions.end() ? std::vector<Solution>{} : here->second);
        }
        for_each_choice(lists, [&](const std::vector<const Solution*>& choice) {
            Taken taken;
            std::map<std::string, Names> mapping;
            for (std::size_t i = 0; i < choice.size(); ++i) {
                mapping[query.groups[i].suffix] = choice[i]->providers;
                for (const auto& [from, amount] : choice[i]->taken) {
                    taken[from] += amount;
                }
            }
            if ((!query.isolate || are_isolated(mapping)) &&
                std::ranges::all_of(query.same_subtree,
                                    [&](const auto& list) { return share_top(list, mapping); }) &&
                std::ranges::all_of(taken, [&](const auto& one) {
                    return has_room(providers_.at(one.first.first), one.first.second, one.second);
                })) {
                const std::string text = json(taken, mapping);
                for (const auto& [from, amount] : taken) {
                    out.candidates[text].insert(providers_.at(from.first).root);
                }
                out.anchored[anchor].insert(text);
            }
        });
    }

    /// No two suffixed groups use the same provider; the unsuffixed group may use any.
    static bool are_isolated(const std::map<std::string, Names>& mapping) {
        Names different;
        std::size_t groups = 0;
        for (const auto& [suffix, providers] : mapping) {
            if (!suffix.empty()) {
                different.insert(providers.begin(), providers.end());
                ++groups;
            }
        }
        return different.size() == groups;
    }
    /// One of the providers that serve the listed groups is an ancestor of all the others, or is
    /// the only one.
    [[nodiscard]] bool share_top(const std::vector<std::string>& suffixes,
                                 const std::map<std::string, Names>& mapping) const {
        Names chosen;
        for (const std::string& suffix : suffixes) {
            chosen.insert(mapping.at(suffix).begin(), mapping.at(suffix).end());
        }
        return std::ranges::any_of(chosen, [&](const std::string& top) {
            return std::ranges::all_of(chosen, [&](const std::string& one) {
                return providers_.at(one).above.contains(top);
            });
        });
    }

    static std::string json(const Taken& taken, const std::map<std::string, Names>& mapping) {
        std::map<std::string, std::string> allocations;
        for (const auto& [from, amount] : taken) {
            std::string& text = allocations[from.first];
            text += (text.empty() ? "\"" : ",\"") + from.second + "\":" + std::to_string(amount);
        }
        std::string out = "{\"allocations\":{";
        for (const auto& [uuid, resources] : allocations) {
            out += (out.back() == '{' ? "\"" : ",\"") + uuid + "\":{\"resources\":{" + resources +
                   "}}";
        }
        out += "},\"mappings\":{";
        for (const auto& [suffix, providers] : mapping) {
            out += (out.back() == '{' ? "\"" : ",\"") + suffix + "\":[";
            for (const std::string& uuid : providers) {
                out += (out.back() == '[' ? "\"" : ",\"") + uuid + "\"";
            }
            out += "]";
        }
        return out + "}}";
    }

    std::map<std::string, Provider> providers_;  ///< Providers by uuid.
    std::map<std::string, std::optional<std::string>> parents_;
    Names roots_;
    Names traits_;   ///< Traits that exist besides the standard ones.
    Names classes_;  ///< Resource classes that exist besides the standard ones.
};

}  // namespace berth::tests
