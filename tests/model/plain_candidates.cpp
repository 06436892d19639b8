// The allocation candidates of one query at one server, as docs/reference/candidates.md and
// experiment.md describe them: tries every way to choose a provider for each part, one after the
// other.

#include <algorithm>
#include <functional>
#include <map>

#include "tests/model/plain_providers.hpp"

namespace berth::tests {
namespace {

using core::Amount;
using core::CandidateGroup;
using Names = std::set<std::string>;

/// What one provider serves: a whole group with a suffix, or one class of the group without one.
struct Part {
    const CandidateGroup* group = nullptr;
    std::vector<std::pair<std::string, Amount>> asks{};
    std::vector<std::size_t> providers{};  ///< Providers that could serve it on its own.
    std::size_t chosen = 0;
};

bool meet(const Names& names, const std::vector<std::string>& others) {
    return std::ranges::any_of(others, [&](const auto& name) { return names.contains(name); });
}
bool meets_all(const Names& names, const std::vector<core::AnyOf>& sets) {
    return std::ranges::all_of(sets, [&](const auto& set) { return meet(names, set); });
}

class Ways {
public:
    Ways(const PlainForest& forest,
         const std::vector<Amount>& used,
         const core::CandidateQuery& query,
         std::uint32_t server)
        : forest_(forest), used_(used), query_(query), server_(server) {
        for (std::size_t i = 0; i < forest.providers.size(); ++i) {
            const PlainProvider& provider = forest.providers[i];
            const bool here = provider.tree == server;
            root_ = here && !provider.parent ? &provider : root_;
        }
        for (const CandidateGroup& group : query.groups) {
            if (!group.suffix.empty()) {
                parts_.push_back({&group, group.resources});
                continue;
            }
            for (const auto& one : group.resources) {
                parts_.push_back({&group, {one}});
            }
        }
        for (Part& part : parts_) {
            for (std::size_t i = 0; i < forest.providers.size(); ++i) {
                if (may_serve(part, i)) {
                    part.providers.push_back(i);
                }
            }
        }
    }

    /// Finds at most `most` candidates. Parts with fewer providers are decided first; each part
    /// tries its providers in order.
    std::vector<PlainGrant> find(std::size_t most) {
        const bool root_allowed =
            std::ranges::all_of(query_.root_required,
                                [&](const auto& name) { return root_->traits.contains(name); }) &&
            !meet(root_->traits, query_.root_forbidden);
        std::vector<Part*> order;
        for (Part& part : parts_) {
            order.push_back(&part);
        }
        std::ranges::stable_sort(
            order, {}, [](const Part* part) { return part->providers.size(); });
        std::vector<PlainGrant> out;
        const std::function<void(std::size_t)> decide = [&](std::size_t at) {
            if (at == order.size()) {
                if (is_candidate()) {
                    out.push_back(taken());
                }
                return;
            }
            for (const std::size_t provider : order[at]->providers) {
                order[at]->chosen = provider;
                if (out.size() < most) {
                    decide(at + 1);
                }
            }
        };
        if (root_allowed) {
            decide(0);
        }
        return out;
    }

private:
    [[nodiscard]] bool fits(std::size_t provider, const std::string& type, Amount amount) const {
        const auto row = forest_.inventory(provider, type);
        if (!row) {
            return false;
        }
        const core::ProviderInventory& limits = forest_.inventories[*row].limits;
        return has_room(*row, amount) && amount >= limits.min_unit &&
               amount % limits.step_size == 0;
    }
    [[nodiscard]] bool has_room(std::size_t row, Amount amount) const {
        return used_[row] + amount <= forest_.inventories[row].capacity() &&
               amount <= forest_.inventories[row].limits.max_unit;
    }

    /// Whether the inventory of a provider can be used in the server's tree.
    [[nodiscard]] bool reaches(const PlainProvider& provider) const {
        const auto meets = [&](const PlainProvider& other) {
            return other.tree == server_ &&
                   std::ranges::any_of(other.aggregates, [&](const auto& aggregate) {
                       return provider.aggregates.contains(aggregate);
                   });
        };
        return provider.tree == server_ ||
               (provider.shared && std::ranges::any_of(forest_.providers, meets));
    }

    [[nodiscard]] bool in_tree_asked(const CandidateGroup& group,
                                     const PlainProvider& provider) const {
        const auto named =
            std::ranges::find(forest_.providers, group.in_tree, &PlainProvider::uuid);
        return named != forest_.providers.end() &&
               (group.resources.empty() || named->tree == provider.tree);
    }

    [[nodiscard]] bool may_serve(const Part& part, std::size_t number) const {
        const PlainProvider& provider = forest_.providers[number];
        const CandidateGroup& group = *part.group;
        if (!reaches(provider)) {
            return false;
        }
        for (const auto& [type, amount] : part.asks) {
            if (!fits(number, type, amount)) {
                return false;
            }
        }
        if ((group.in_tree && !in_tree_asked(group, provider)) ||
            meet(provider.traits, group.forbidden) ||
            meet(provider.aggregates, group.forbidden_members)) {
            return false;
        }
        const bool is_member = meets_all(provider.aggregates, group.member_of);
        if (group.suffix.empty()) {
            const bool here = provider.tree == server_;
            const bool by_root = here && meets_all(root_->aggregates, group.member_of);
            return (is_member || by_root) && (here || !group.in_tree) &&
                   !meet(root_->aggregates, group.forbidden_members);
        }
        // Nothing is searched for a group that only says what it must not have.
        const bool asks =
            !group.resources.empty() || !group.required.empty() || !group.member_of.empty();
        return asks && is_member && meets_all(provider.traits, group.required);
    }

    /// What each part takes.
    [[nodiscard]] PlainGrant taken() const {
        PlainGrant out;
        for (const Part& part : parts_) {
            for (const auto& [type, amount] : part.asks) {
                out.push_back({*forest_.inventory(part.chosen, type), amount});
            }
        }
        return out;
    }

    [[nodiscard]] bool is_candidate() const {
        std::map<std::size_t, Amount> sums;
        for (const PlainShare& share : taken()) {
            sums[share.device] += share.amount;
        }
        return std::ranges::all_of(
                   sums, [&](const auto& sum) { return has_room(sum.first, sum.second); }) &&
               (!query_.isolate || is_isolated()) &&
               std::ranges::all_of(query_.same_subtree,
                                   [&](const auto& list) { return has_top(list); }) &&
               has_joint_traits();
    }
    [[nodiscard]] bool is_isolated() const {
        std::set<std::size_t> different;
        std::size_t groups = 0;
        for (const Part& part : parts_) {
            if (!part.group->suffix.empty()) {
                different.insert(part.chosen);
                ++groups;
            }
        }
        return different.size() == groups;
    }
    [[nodiscard]] bool is_above(std::size_t top, std::size_t provider) const {
        std::optional<std::size_t> at = provider;
        while (at && *at != top) {
            at = forest_.providers[*at].parent;
        }
        return at.has_value();
    }
    /// One of the providers of these groups is an ancestor of all the others, or is the only one.
    [[nodiscard]] bool has_top(const std::vector<std::string>& suffixes) const {
        std::set<std::size_t> chosen;
        for (const Part& part : parts_) {
            if (std::ranges::count(suffixes, part.group->suffix) > 0) {
                chosen.insert(part.chosen);
            }
        }
        return std::ranges::any_of(chosen, [&](std::size_t top) {
            return std::ranges::all_of(chosen, [&](std::size_t one) { return is_above(top, one); });
        });
    }
    /// Together, the providers of the group without a suffix have the traits that it requires.
    [[nodiscard]] bool has_joint_traits() const {
        for (const CandidateGroup& group : query_.groups) {
            Names traits;
            for (const Part& part : parts_) {
                const Names& more = forest_.providers[part.chosen].traits;
                if (part.group == &group) {
                    traits.insert(more.begin(), more.end());
                }
            }
            if (group.suffix.empty() && !meets_all(traits, group.required)) {
                return false;
            }
        }
        return true;
    }

    const PlainForest& forest_;
    const std::vector<Amount>& used_;
    const core::CandidateQuery& query_;
    std::uint32_t server_;
    const PlainProvider* root_ = nullptr;
    std::vector<Part> parts_;
};

}  // namespace

std::vector<PlainGrant> plain_candidates(const PlainForest& forest,
                                         const std::vector<Amount>& used,
                                         const core::CandidateQuery& query,
                                         std::uint32_t server,
                                         std::size_t most) {
    return Ways(forest, used, query, server).find(most);
}

}  // namespace berth::tests
