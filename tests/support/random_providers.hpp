#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/resource_provider.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

template <class T>
const T& drawn(Dice& dice, const std::vector<T>& list) {
    return list[static_cast<std::size_t>(dice.roll(0, std::ssize(list) - 1))];
}
template <class T>
void shuffle(Dice& dice, std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) {
        const std::int64_t other = dice.roll(0, static_cast<std::int64_t>(i) - 1);
        std::swap(list[i - 1], list[static_cast<std::size_t>(other)]);
    }
}

/// The names that random providers have and random queries ask for: only a few, so that they match.
inline const std::vector<std::string> provider_classes{"CUSTOM_BAND", "DISK_GB", "PGPU", "VCPU"};
inline const std::vector<std::string> provider_traits{
    "COMPUTE_NODE", "CUSTOM_FAST", "CUSTOM_LEFT", "HW_NUMA_ROOT"};
inline const std::vector<std::string> provider_aggregates{"a0000000-0000-4000-8000-000000000001",
                                                          "a0000000-0000-4000-8000-000000000002",
                                                          "a0000000-0000-4000-8000-000000000003"};

/// A small forest: trees of several shapes, in any order, with uuids in another order.
class RandomProviders {
public:
    explicit RandomProviders(Dice& dice) : dice_(dice) {
        const std::int64_t count = dice.chance(40) ? dice.roll(1, 6) : dice.roll(5, 14);
        const std::int64_t trees =
            dice.chance(10) ? count : dice.roll(1, std::min<std::int64_t>(4, count));
        resources_ = static_cast<int>(dice.roll(30, 80));
        used_ = dice.chance(50) ? 0 : static_cast<int>(dice.roll(10, 50));
        odd_ = dice.chance(50) ? 0 : static_cast<int>(dice.roll(5, 30));
        large_ = dice.chance(30);
        traits_ = static_cast<int>(dice.roll(20, 80));
        sharing_ = dice.chance(40) ? 0 : static_cast<int>(dice.roll(10, 50));
        aggregates_ = dice.chance(30) ? 0 : static_cast<int>(dice.roll(10, 50));
        std::vector<int> depth;
        for (std::int64_t i = 0; i < count; ++i) {
            core::ResourceProvider& provider = out_.emplace_back();
            const std::int64_t order = dice.roll(0, 0xffff);
            provider.uuid = fmt::format("{:08x}-0000-4000-8000-{:012}", order, i);
            provider.name = fmt::format("rp{}", i);
            depth.push_back(0);
            if (i >= trees) {
                const auto parent = static_cast<std::size_t>(dice.roll(0, i - 1));
                if (depth[parent] < 3) {
                    provider.parent_uuid = out_[parent].uuid;
                    depth.back() = depth[parent] + 1;
                }
            }
            equip(provider);
        }
        shuffle(dice, out_);
    }
    [[nodiscard]] const std::vector<core::ResourceProvider>& get() const { return out_; }

private:
    void equip(core::ResourceProvider& provider) {
        for (const std::string& name : provider_classes) {
            if (dice_.chance(resources_)) {
                provider.inventories[name] = inventory();
                if (dice_.chance(used_)) {
                    provider.usages[name] = dice_.roll(
                        0, provider.inventories[name].total + (dice_.chance(10) ? 3 : 0));
                }
            }
        }
        for (const std::string& name : provider_traits) {
            if (dice_.chance(traits_)) {
                provider.traits.push_back(name);
            }
        }
        if (dice_.chance(sharing_)) {
            provider.traits.emplace_back(core::sharing_trait);
        }
        for (const std::string& name : provider_aggregates) {
            if (dice_.chance(aggregates_)) {
                provider.aggregates.push_back(name);
            }
        }
    }
    core::ProviderInventory inventory() {
        core::ProviderInventory out;
        out.total = large_ ? dice_.roll(5, 40) : dice_.roll(1, 8);
        if (dice_.chance(odd_)) {
            out.reserved = dice_.roll(0, out.total);
        }
        if (dice_.chance(odd_)) {
            out.allocation_ratio = drawn(dice_, std::vector{0.29, 0.5, 1.1, 1.5, 2.0});
        }
        if (dice_.chance(odd_)) {
            out.min_unit = 2;
        }
        if (dice_.chance(odd_)) {
            out.max_unit = dice_.roll(out.min_unit, 4);
        }
        if (dice_.chance(odd_)) {
            out.step_size = dice_.roll(2, 3);
        }
        return out;
    }

    Dice& dice_;
    std::vector<core::ResourceProvider> out_;
    bool large_ = false;
    // Percentages: of providers that have some of each, and of inventories that are used or
    // unusual.
    int resources_ = 0;
    int used_ = 0;
    int odd_ = 0;
    int traits_ = 0;
    int sharing_ = 0;
    int aggregates_ = 0;
};

/// A query string about such a forest, valid except for unknown names. It usually asks for what the
/// providers of one tree have.
class RandomCandidateQuery {
public:
    /// `combinations_max`: upper bound of the number of ways to serve the query if everything fits.
    RandomCandidateQuery(Dice& dice,
                         const std::vector<core::ResourceProvider>& providers,
                         std::int64_t combinations_max)
        : dice_(dice), providers_(providers), room_(combinations_max) {
        home_ = root_of(drawn(dice, providers));
        const std::int64_t groups = drawn(dice, std::vector{0, 0, 1, 1, 1, 2, 2, 2, 3, 4});
        std::vector<std::string> suffixes{"1", "2", "-x", "B", "_A"};
        shuffle(dice, suffixes);
        suffixes.resize(static_cast<std::size_t>(groups));
        if (suffixes.empty() || dice.chance(50)) {
            unsuffixed();
        }
        for (const std::string& suffix : suffixes) {
            suffixed(suffix);
        }
        if (!has_resources_) {
            unsuffixed();
        }
        relate_groups();
        ask_of_roots();
        if (dice.chance(20)) {
            say("limit", std::to_string(dice.roll(1, 6)));
        }
        shuffle(dice, pieces_);
    }
    [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(pieces_, "&")); }

private:
    void say(const std::string& key, const std::string& value) {
        pieces_.push_back(key + "=" + value);
    }

    [[nodiscard]] std::string root_of(const core::ResourceProvider& provider) const {
        return provider.parent_uuid
                   ? root_of(*std::ranges::find(
                         providers_, *provider.parent_uuid, &core::ResourceProvider::uuid))
                   : provider.uuid;
    }
    /// A provider to which a group of the query may refer.
    const core::ResourceProvider& meant() {
        const bool anywhere = dice_.chance(15);
        std::vector<const core::ResourceProvider*> choice;
        for (const core::ResourceProvider& provider : providers_) {
            if (anywhere || root_of(provider) == home_) {
                choice.push_back(&provider);
            }
        }
        const core::ResourceProvider* one = drawn(dice_, choice);
        return one->inventories.empty() ? *drawn(dice_, choice) : *one;
    }

    /// Whether the query may get one more part that `providers` providers can serve, without
    /// exceeding the bound on combinations.
    bool room_for(std::int64_t providers) {
        const bool has_room = providers <= room_;
        room_ /= has_room ? std::max<std::int64_t>(1, providers) : 1;
        return has_room;
    }
    [[nodiscard]] std::int64_t having(const std::string& type) const {
        return std::ranges::count_if(providers_, [&](const core::ResourceProvider& provider) {
            return provider.inventories.contains(type);
        });
    }

    /// Adds one resource class of a provider, with an amount that the provider may give at once.
    void ask_for(std::map<std::string, core::Amount>& asks,
                 const core::ResourceProvider& provider) {
        std::vector<std::string> types;
        for (const auto& [type, inventory] : provider.inventories) {
            types.push_back(type);
        }
        const std::string type =
            types.empty() || dice_.chance(2) ? drawn(dice_, provider_classes) : drawn(dice_, types);
        core::Amount amount = drawn(dice_, std::vector{1, 1, 1, 1, 1, 1, 2, 2, 3, 4});
        if (provider.inventories.contains(type) && dice_.chance(80)) {
            const core::ProviderInventory& inventory = provider.inventories.at(type);
            if (inventory.total > 8 && dice_.chance(50)) {  // as text, 10 sorts before 2
                amount = drawn(dice_, std::vector{5, 8, 9, 10, 10, 11, 20});
            }
            amount = std::max(amount, inventory.min_unit);
            amount += (inventory.step_size - amount % inventory.step_size) % inventory.step_size;
        }
        asks[type] = amount;
    }
    void say_resources(const std::string& suffix, const std::map<std::string, core::Amount>& asks) {
        std::vector<std::string> items;
        for (const auto& [type, amount] : asks) {
            items.push_back(fmt::format("{}:{}", type, amount));
        }
        if (dice_.chance(1)) {  // the first class is unknown, the second one no provider has
            items.emplace_back(dice_.chance(50) ? "CUSTOM_NOTHING:1" : "PCI_DEVICE:1");
        }
        shuffle(dice_, items);
        say("resources" + suffix, fmt::format("{}", fmt::join(items, ",")));
        has_resources_ = true;
    }

    void unsuffixed() {
        std::map<std::string, core::Amount> asks;
        for (std::int64_t count = drawn(dice_, std::vector{1, 1, 2, 2, 3}); count > 0; --count) {
            std::map<std::string, core::Amount> more;
            ask_for(more, meant());
            if (asks.empty() || room_for(having(more.begin()->first))) {
                asks.insert(more.begin(), more.end());
            }
        }
        say_resources("", asks);
        const core::ResourceProvider& provider = meant();
        filter("", provider);
        if (dice_.chance(5)) {
            say("in_tree", some_provider());
        }
    }

    void suffixed(const std::string& suffix) {
        const core::ResourceProvider& provider = meant();
        if (dice_.chance(15) && room_for(std::ssize(providers_))) {
            groups_.push_back(suffix);
            resourceless_.push_back(suffix);
            positive_filter(suffix, provider);
            if (dice_.chance(5)) {
                say("in_tree" + suffix, some_provider());
            }
            return;
        }
        std::map<std::string, core::Amount> asks;
        for (std::int64_t count = dice_.chance(70) ? 1 : 2; count > 0; --count) {
            ask_for(asks, provider);
        }
        if (room_for(having(asks.begin()->first))) {
            groups_.push_back(suffix);
            say_resources(suffix, asks);
            filter(suffix, provider);
            if (dice_.chance(6)) {
                say("in_tree" + suffix, some_provider());
            }
        }
    }
    std::string some_provider() {
        return dice_.chance(3)    ? provider_aggregates.front()
               : dice_.chance(20) ? drawn(dice_, providers_).uuid
                                  : meant().uuid;
    }
    void filter(const std::string& suffix, const core::ResourceProvider& provider) {
        if (dice_.chance(18)) {
            require(suffix, provider);
        }
        if (dice_.chance(12)) {
            forbid(suffix);
        }
        if (dice_.chance(provider.aggregates.empty() ? 2 : 20)) {
            be_member(suffix, provider);
        }
        if (dice_.chance(5)) {
            const std::string& one = drawn(dice_, provider_aggregates);
            const std::string& other = drawn(dice_, provider_aggregates);
            say("member_of" + suffix, one == other ? "!" + one : "!in:" + one + "," + other);
        }
    }
    /// Adds a filter, mostly a positive one: a group without resources and without any has no
    /// provider.
    void positive_filter(const std::string& suffix, const core::ResourceProvider& provider) {
        const std::int64_t what = dice_.roll(1, 20);
        if (what == 1) {
            forbid(suffix);
        } else if (what == 2) {
            say("in_tree" + suffix, some_provider());
        } else if (what <= 15) {
            require(suffix, provider);
        } else {
            be_member(suffix, provider);
        }
    }

    void require(const std::string& suffix, const core::ResourceProvider& provider) {
        for (std::int64_t count = dice_.chance(85) ? 1 : 2; count > 0; --count) {
            std::vector<std::string> items{trait_of(provider)};
            const bool any = dice_.chance(40);
            while (dice_.chance(any ? 50 : 20)) {
                items.push_back(any ? drawn(dice_, provider_traits) : trait_of(provider));
            }
            shuffle(dice_, items);
            if (!any || std::ranges::count(items, items.front()) == std::ssize(items)) {
                needed_[suffix].insert(items.begin(), items.end());
            }
            say("required" + suffix, fmt::format("{}{}", any ? "in:" : "", fmt::join(items, ",")));
        }
    }
    std::string trait_of(const core::ResourceProvider& provider) {
        const std::int64_t odd = dice_.roll(1, 100);
        return odd == 1                               ? "CUSTOM_UNKNOWN"
               : odd == 2                             ? "CUSTOM_UNHEARD"
               : odd <= 10 || provider.traits.empty() ? drawn(dice_, provider_traits)
                                                      : drawn(dice_, provider.traits);
    }
    void forbid(const std::string& suffix) {
        const std::string& trait = dice_.chance(20) ? sharing_ : drawn(dice_, provider_traits);
        if (!needed_[suffix].contains(trait)) {
            say("required" + suffix, "!" + trait);
        }
    }
    void be_member(const std::string& suffix, const core::ResourceProvider& provider) {
        std::vector<std::string> items{dice_.chance(10) || provider.aggregates.empty()
                                           ? drawn(dice_, provider_aggregates)
                                           : drawn(dice_, provider.aggregates)};
        const bool any = dice_.chance(40);
        if (any) {
            items.push_back(dice_.chance(20) ? home_ : drawn(dice_, provider_aggregates));
        }
        say("member_of" + suffix, fmt::format("{}{}", any ? "in:" : "", fmt::join(items, ",")));
        if (dice_.chance(15)) {
            say("member_of" + suffix, drawn(dice_, provider_aggregates));
        }
    }

    void relate_groups() {
        if (groups_.size() > 1 || dice_.chance(20)) {
            say("group_policy", dice_.chance(40) ? "isolate" : "none");
        }
        if (!resourceless_.empty() || (!groups_.empty() && dice_.chance(30))) {
            std::vector<std::string> list = resourceless_;
            for (const std::string& group : groups_) {
                if (list.empty() || dice_.chance(50)) {
                    list.push_back(group);
                }
            }
            say("same_subtree", fmt::format("{}", fmt::join(list, ",")));
            if (dice_.chance(20)) {
                const std::string& one = drawn(dice_, groups_);
                const std::string& other = drawn(dice_, groups_);
                say("same_subtree", one + "," + other);
            }
        }
    }
    void ask_of_roots() {
        if (!dice_.chance(12)) {
            return;
        }
        const core::ResourceProvider& root =
            *std::ranges::find(providers_, home_, &core::ResourceProvider::uuid);
        const std::string trait = trait_of(root);
        const std::string& other = drawn(dice_, provider_traits);
        const std::int64_t form = dice_.roll(1, 3);
        say("root_required",
            form == 1 || trait == other ? trait
            : form == 2                 ? trait + ",!" + other
                                        : "!" + other);
    }

    Dice& dice_;
    const std::vector<core::ResourceProvider>& providers_;
    std::int64_t room_;
    std::string home_;  ///< The root of the tree that the query is about.
    std::string sharing_{core::sharing_trait};
    std::vector<std::string> pieces_;
    bool has_resources_ = false;
    std::vector<std::string> groups_;  ///< Suffixes of the groups.
    std::vector<std::string> resourceless_;
    std::map<std::string, std::set<std::string>> needed_;  ///< Traits that a group must have, by
                                                           ///< suffix.
};

}  // namespace berth::tests
