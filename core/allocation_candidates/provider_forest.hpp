#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/name_table.hpp"
#include "core/tree/ids.hpp"
#include "core/tree/resource_provider.hpp"

namespace berth::core {

using TreeIndex = std::uint32_t;

/// For one resource class: the trees that have it, each with what is left at the provider that has
/// the most left, in a tournament tree.
///
/// Cost: next() and set() are O(log trees); 20 bytes for each tree that has the class.
class MaxFree {
public:
    MaxFree() = default;
    /// `trees` are in ascending order, and `most` has one entry for each of them.
    MaxFree(std::vector<TreeIndex> trees, const std::vector<Amount>& most);
    /// The first tree at or after `from` in which one provider has `amount` left.
    [[nodiscard]] std::optional<TreeIndex> next(TreeIndex from, Amount amount) const;
    /// Sets the most that one provider of `tree`, which has the class, has left.
    void set(TreeIndex tree, Amount most);

private:
    [[nodiscard]] std::size_t position(TreeIndex tree) const;

    std::vector<TreeIndex> trees_;
    std::size_t leaves_ = 0;    ///< A power of two.
    std::vector<Amount> most_;  ///< An implicit binary tree; entry 1 is the most of all.
};

using ProviderIndex = std::uint32_t;
using ClassIndex = std::uint32_t;

/// One inventory, as the search reads it.
struct InventoryRow {
    ClassIndex resource_class = 0;
    Amount capacity = 0;
    Amount used = 0;
    Amount min_unit = 1;
    Amount max_unit = 1;
    Amount step_size = 1;

    /// Whether this inventory alone can serve a request for `amount`.
    [[nodiscard]] bool fits(Amount amount) const {
        return amount <= capacity - used && amount >= min_unit && amount <= max_unit &&
               amount % step_size == 0;
    }
};

/// Trees of resource providers in columns: what they have, what is used of it, and indexes over
/// them.
///
/// Shape:  providers of a tree are one range, parents before their children and every subtree a
///         range; trees are ordered by their least uuid. Resource classes, traits and aggregates
///         are numbered in the order of their names; sets of traits and of aggregates are shared.
/// Cost:   about 150 bytes for each provider. add_usage() is O(log trees + providers of the tree).
/// Source: OpenStack Placement, "Modeling with Provider Trees".
class ProviderForest {
public:
    [[nodiscard]] std::uint32_t provider_count() const {
        return static_cast<std::uint32_t>(parent_.size());
    }
    [[nodiscard]] std::uint32_t tree_count() const {
        return static_cast<std::uint32_t>(tree_begin_.size() - 1);
    }

    [[nodiscard]] std::string_view uuid(ProviderIndex provider) const {
        return text(std::size_t{2} * provider);
    }
    [[nodiscard]] std::string_view name(ProviderIndex provider) const {
        return text(std::size_t{2} * provider + 1);
    }
    [[nodiscard]] std::optional<ProviderIndex> parent(ProviderIndex provider) const {
        return parent_[provider] == none ? std::nullopt : std::optional(parent_[provider]);
    }
    [[nodiscard]] TreeIndex tree(ProviderIndex provider) const { return tree_of_[provider]; }
    [[nodiscard]] ProviderIndex root(TreeIndex tree) const { return tree_begin_[tree]; }
    [[nodiscard]] ProviderIndex tree_end(TreeIndex tree) const { return tree_begin_[tree + 1]; }
    /// The providers at and below this one are [provider, subtree_end).
    [[nodiscard]] ProviderIndex subtree_end(ProviderIndex provider) const {
        return subtree_end_[provider];
    }
    /// The provider's place among all uuids, in the order of their text.
    [[nodiscard]] std::uint32_t rank(ProviderIndex provider) const { return rank_[provider]; }
    [[nodiscard]] ProviderIndex provider_at(std::uint32_t rank) const { return by_rank_[rank]; }
    /// The least rank in a tree. It ascends with the trees.
    [[nodiscard]] std::uint32_t least_rank(TreeIndex tree) const { return least_rank_[tree]; }
    /// Cost: O(log providers).
    [[nodiscard]] std::optional<ProviderIndex> find(std::string_view uuid) const;

    /// The inventories in the order of their resource classes.
    [[nodiscard]] std::span<const InventoryRow> inventories(ProviderIndex provider) const {
        return {rows_.data() + row_begin_[provider], rows_.data() + row_begin_[provider + 1]};
    }
    /// The inventory of a class, or nullptr.
    [[nodiscard]] const InventoryRow* inventory(ProviderIndex provider, ClassIndex type) const;
    /// One bit for each class that the provider has, at the class's number modulo 64. A provider
    /// that lacks a bit of what is asked for need not be looked at.
    [[nodiscard]] std::uint64_t class_bits(ProviderIndex provider) const {
        return class_bits_[provider];
    }
    /// Takes `amount` of a class that the provider has, or gives it back if `amount` is negative.
    /// More than the capacity may be used; using less than nothing is a bug of the caller and
    /// aborts.
    void add_usage(ProviderIndex provider, ClassIndex type, Amount amount);

    /// Every known class, trait and aggregate, whether a provider has it or not.
    [[nodiscard]] const NameTable& classes() const { return classes_; }
    [[nodiscard]] const NameTable& traits() const { return traits_; }
    [[nodiscard]] const NameTable& aggregates() const { return aggregates_; }
    [[nodiscard]] const NameSets& trait_sets() const { return trait_sets_; }
    [[nodiscard]] const NameSets& aggregate_sets() const { return aggregate_sets_; }
    /// An index into trait_sets() or aggregate_sets().
    [[nodiscard]] std::uint32_t trait_set(ProviderIndex provider) const {
        return trait_set_[provider];
    }
    [[nodiscard]] std::uint32_t aggregate_set(ProviderIndex provider) const {
        return aggregate_set_[provider];
    }

    /// The sharing providers, in the order of their numbers.
    [[nodiscard]] const std::vector<ProviderIndex>& sharing() const { return sharing_; }
    [[nodiscard]] bool is_sharing(ProviderIndex provider) const {
        return !sharing_.empty() && std::ranges::binary_search(sharing_, provider);
    }
    /// The trees that sharing()[i] serves through an aggregate, including its own, in ascending
    /// order.
    [[nodiscard]] const std::vector<TreeIndex>& served(std::size_t i) const { return served_[i]; }
    /// The sharing providers of other trees that serve this one, as indices into sharing().
    [[nodiscard]] std::span<const std::uint32_t> shared_with(TreeIndex tree) const {
        return {shared_.data() + shared_begin_[tree], shared_.data() + shared_begin_[tree + 1]};
    }

    /// The trees in which a provider has the trait or is in the aggregate, in ascending order.
    [[nodiscard]] const std::vector<TreeIndex>& trees_with_trait(std::uint32_t trait) const {
        return trees_with_trait_[trait];
    }
    [[nodiscard]] const std::vector<TreeIndex>& trees_in_aggregate(std::uint32_t aggregate) const {
        return trees_in_aggregate_[aggregate];
    }
    /// The index of trees in which a provider still has some amount of a class.
    [[nodiscard]] const MaxFree& max_free(ClassIndex type) const { return max_free_[type]; }

private:
    friend class ProviderForestBuilder;
    static constexpr ProviderIndex none = ~ProviderIndex{0};
    [[nodiscard]] std::string_view text(std::size_t entry) const {
        return std::string_view(texts_).substr(text_begin_[entry],
                                               text_begin_[entry + 1] - text_begin_[entry]);
    }

    std::string texts_;
    /// The uuid and the name of each provider, and one more entry.
    std::vector<std::uint32_t> text_begin_;
    std::vector<ProviderIndex> parent_;
    std::vector<ProviderIndex> subtree_end_;
    std::vector<TreeIndex> tree_of_;
    /// The first provider of each tree, and one more entry.
    std::vector<ProviderIndex> tree_begin_;
    std::vector<std::uint32_t> rank_;
    std::vector<ProviderIndex> by_rank_;
    std::vector<std::uint32_t> least_rank_;
    std::vector<std::uint32_t> row_begin_;  ///< The first row of each provider, and one more entry.
    std::vector<InventoryRow> rows_;
    std::vector<std::uint64_t> class_bits_;
    NameTable classes_;
    NameTable traits_;
    NameTable aggregates_;
    NameSets trait_sets_;
    NameSets aggregate_sets_;
    std::vector<std::uint32_t> trait_set_;
    std::vector<std::uint32_t> aggregate_set_;
    std::vector<ProviderIndex> sharing_;
    std::vector<std::vector<TreeIndex>> served_;
    /// The first entry of each tree in shared_, and one more entry.
    std::vector<std::uint32_t> shared_begin_;
    std::vector<std::uint32_t> shared_;
    std::vector<std::vector<TreeIndex>> trees_with_trait_;
    std::vector<std::vector<TreeIndex>> trees_in_aggregate_;
    std::vector<MaxFree> max_free_;
};

/// Makes a forest of providers, which are added in any order:
///   ProviderForestBuilder builder;
///   builder.add({.uuid = "...", .name = "CN1", .inventories = {{"VCPU", {.total = 8}}}});
///   ProviderForest forest = builder.build();
class ProviderForestBuilder {
public:
    ProviderForestBuilder();
    ~ProviderForestBuilder();
    ProviderForestBuilder(const ProviderForestBuilder&) = delete;
    ProviderForestBuilder& operator=(const ProviderForestBuilder&) = delete;

    /// Makes known a name that exists although no provider has it. The standard names are always
    /// known.
    void know_trait(std::string_view name);
    void know_resource_class(std::string_view name);
    /// Errors: adding a provider that check_providers() refuses is a bug of the caller and aborts,
    ///         here or in build().
    void add(const ResourceProvider& provider);
    /// Whether no uuid occurs twice, every parent exists, and no parent leads back to its child.
    /// This is for callers that checked each provider by itself with check_providers(), and may not
    /// call build() otherwise.
    /// Cost: what build() then saves, and O(n).
    [[nodiscard]] bool is_forest();
    /// Makes the forest. Call this once.
    /// Cost: O(n log n); O(n) if the uuids ascend.
    [[nodiscard]] ProviderForest build();

private:
    class Drafts;
    std::unique_ptr<Drafts> drafts_;
};

}  // namespace berth::core
