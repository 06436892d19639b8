#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/allocation_candidates/provider_forest.hpp"
#include "core/allocation_candidates/provider_names.hpp"
#include "core/support/assert.hpp"
#include "core/support/interner.hpp"

namespace berth::core {
namespace {

constexpr std::uint32_t no_draft = ~std::uint32_t{0};

using Texts = Interner<std::string>;

/// The number of each text in a table of the same texts.
std::vector<std::uint32_t> numbers_in(const NameTable& table, const Texts& texts) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(texts.size());
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
        numbers.push_back(*table.find(texts[i]));
    }
    return numbers;
}

/// Sets of names as providers write them. Most providers write the same sets as others.
class InternedSets {
public:
    InternedSets() { (void)(*this)({}); }
    std::uint32_t operator()(const std::vector<std::string>& names) {
        written_.clear();
        for (const std::string& name : names) {
            written_ += name;
            written_ += '\n';
        }
        const auto [entry, fresh] =
            index_.try_emplace(written_, static_cast<std::uint32_t>(sets_.size()));
        if (fresh) {
            std::vector<std::uint32_t>& set = sets_.emplace_back();
            for (const std::string& name : names) {
                set.push_back(names_.number(name));
            }
        }
        return entry->second;
    }
    void know(std::string_view name) { (void)names_.number(std::string(name)); }
    [[nodiscard]] NameTable table() const { return NameTable(names_.values()); }
    [[nodiscard]] NameSets sets(const NameTable& table) const {
        const std::vector<std::uint32_t> numbers = numbers_in(table, names_);
        std::vector<std::vector<std::uint32_t>> sets = sets_;
        for (std::vector<std::uint32_t>& set : sets) {
            for (std::uint32_t& name : set) {
                name = numbers[name];
            }
            std::ranges::sort(set);
            const auto repeated = std::ranges::unique(set);
            set.erase(repeated.begin(), repeated.end());
        }
        return NameSets(sets);
    }

private:
    std::string written_;
    Texts names_;
    std::vector<std::vector<std::uint32_t>> sets_;
    std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace

/// Providers as they were added. build() gives them their final numbers.
class ProviderForestBuilder::Drafts {
public:
    Drafts() {
        for (const std::string_view name : standard_traits()) {
            traits.know(name);
        }
        for (const std::string_view name : standard_resource_classes()) {
            (void)classes.number(std::string(name));
        }
    }

    void add(const ResourceProvider& provider);
    bool is_forest();
    ProviderForest build();

    Texts classes;
    InternedSets traits;
    InternedSets aggregates;

private:
    struct Text {
        std::size_t begin = 0;
        std::uint32_t length = 0;
    };
    struct Draft {
        Text uuid;
        Text name;
        std::optional<Text> parent_uuid;
        std::uint32_t row_begin = 0;
        std::uint32_t row_end = 0;
        std::uint32_t trait_set = 0;
        std::uint32_t aggregate_set = 0;
    };
    Text keep(std::string_view text) {
        const Text kept{texts_.size(), static_cast<std::uint32_t>(text.size())};
        texts_ += text;
        return kept;
    }
    [[nodiscard]] std::string_view read(const Text& text) const {
        return std::string_view(texts_).substr(text.begin, text.length);
    }
    void sort_by_uuid();
    [[nodiscard]] bool uuids_differ() const;
    /// Finds the draft with a uuid; `no_draft` if there is none.
    [[nodiscard]] std::uint32_t find(std::string_view uuid) const;
    /// Returns whether every parent is a draft.
    bool find_parents();
    [[nodiscard]] bool parents_end() const;
    void list_children();
    void number_tree(std::uint32_t root, ProviderForest& forest);
    void number_trees(ProviderForest& forest);
    void fill_columns(ProviderForest& forest);
    void find_sharing(ProviderForest& forest) const;
    static void index_trees(ProviderForest& forest);
    static void index_classes(ProviderForest& forest);

    bool checked_ = false;  ///< is_forest() was called: drafts are sorted, and parents are known.
    std::string texts_;
    std::vector<Draft> drafts_;
    /// The rows of the drafts, whose classes are numbers in `classes`.
    std::vector<InventoryRow> rows_;
    std::vector<std::uint32_t> by_uuid_;  ///< The drafts in the order of their uuids.
    std::vector<std::uint32_t> parent_;   ///< The parent of each draft.
    /// The first child of each draft in children_, and one more entry.
    std::vector<std::uint32_t> child_begin_;
    std::vector<std::uint32_t> children_;  ///< The children of each draft, by uuid.
    std::vector<std::uint32_t> number_;    ///< The provider that each draft becomes.
    std::vector<std::uint32_t> draft_of_;  ///< The draft that each provider comes from.
};

void ProviderForestBuilder::Drafts::add(const ResourceProvider& provider) {
    checked_ = false;
    Draft& draft = drafts_.emplace_back();
    draft.uuid = keep(provider.uuid);
    draft.name = keep(provider.name);
    if (provider.parent_uuid) {
        draft.parent_uuid = keep(*provider.parent_uuid);
    }
    draft.trait_set = traits(provider.traits);
    draft.aggregate_set = aggregates(provider.aggregates);
    draft.row_begin = static_cast<std::uint32_t>(rows_.size());
    for (const auto& [name, inventory] : provider.inventories) {
        const auto used = provider.usages.find(name);
        rows_.push_back({classes.number(name),
                         inventory.capacity(),
                         used == provider.usages.end() ? 0 : used->second,
                         inventory.min_unit,
                         inventory.max_unit,
                         inventory.step_size});
        BERTH_ASSERT(rows_.back().capacity >= 0 && rows_.back().used >= 0 &&
                         inventory.min_unit >= 1 && inventory.step_size >= 1,
                     "inventories were checked");
    }
    draft.row_end = static_cast<std::uint32_t>(rows_.size());
}

void ProviderForestBuilder::Drafts::sort_by_uuid() {
    by_uuid_.resize(drafts_.size());
    std::iota(by_uuid_.begin(), by_uuid_.end(), 0U);
    const auto uuid = [&](std::uint32_t draft) { return read(drafts_[draft].uuid); };
    if (!std::ranges::is_sorted(by_uuid_, {}, uuid)) {
        std::ranges::sort(by_uuid_, {}, uuid);
    }
}

bool ProviderForestBuilder::Drafts::uuids_differ() const {
    return std::ranges::adjacent_find(by_uuid_, {}, [&](std::uint32_t draft) {
               return read(drafts_[draft].uuid);
           }) == by_uuid_.end();
}

std::uint32_t ProviderForestBuilder::Drafts::find(std::string_view uuid) const {
    const auto found = std::ranges::lower_bound(
        by_uuid_, uuid, {}, [&](std::uint32_t draft) { return read(drafts_[draft].uuid); });
    const bool known = found != by_uuid_.end() && read(drafts_[*found].uuid) == uuid;
    return known ? *found : no_draft;
}

bool ProviderForestBuilder::Drafts::find_parents() {
    parent_.assign(drafts_.size(), no_draft);
    for (std::uint32_t draft = 0; draft < drafts_.size(); ++draft) {
        const std::optional<Text>& parent_uuid = drafts_[draft].parent_uuid;
        if (!parent_uuid) {
            continue;
        }
        // A tree is mostly written from its root down, so the parent is usually the previous draft
        // or one above it.
        const std::string_view wanted = read(*parent_uuid);
        std::uint32_t near = draft == 0 ? no_draft : draft - 1;
        for (int up = 0; up < 8 && near != no_draft && read(drafts_[near].uuid) != wanted; ++up) {
            near = parent_[near];
        }
        const bool is_near = near != no_draft && read(drafts_[near].uuid) == wanted;
        parent_[draft] = is_near ? near : find(wanted);
        if (parent_[draft] == no_draft) {
            return false;
        }
    }
    return true;
}

bool ProviderForestBuilder::Drafts::parents_end() const {
    // The draft whose walk came by first.
    std::vector<std::uint32_t> walk_of(drafts_.size(), no_draft);
    for (std::uint32_t first = 0; first < drafts_.size(); ++first) {
        std::uint32_t at = first;
        for (; at != no_draft && walk_of[at] == no_draft; at = parent_[at]) {
            walk_of[at] = first;
        }
        if (at != no_draft && walk_of[at] == first) {
            return false;
        }
    }
    return true;
}

bool ProviderForestBuilder::Drafts::is_forest() {
    sort_by_uuid();
    checked_ = uuids_differ() && find_parents() && parents_end();
    return checked_;
}

void ProviderForestBuilder::Drafts::list_children() {
    const std::size_t count = drafts_.size();
    child_begin_.assign(count + 1, 0);
    for (const std::uint32_t parent : parent_) {
        child_begin_[parent == no_draft ? count : parent] += parent == no_draft ? 0 : 1;
    }
    std::exclusive_scan(child_begin_.begin(), child_begin_.end(), child_begin_.begin(), 0U);
    children_.resize(child_begin_.back());
    std::vector<std::uint32_t> filled = child_begin_;
    for (const std::uint32_t draft : by_uuid_) {
        if (parent_[draft] != no_draft) {
            children_[filled[parent_[draft]]++] = draft;
        }
    }
}

void ProviderForestBuilder::Drafts::number_tree(std::uint32_t root, ProviderForest& forest) {
    // The ancestors of the provider numbered last, from the top down.
    std::vector<std::uint32_t> open;
    const auto close_until = [&](std::uint32_t ancestor) {
        while (!open.empty() && open.back() != ancestor) {
            forest.subtree_end_[number_[open.back()]] =
                static_cast<std::uint32_t>(draft_of_.size());
            open.pop_back();
        }
    };
    std::vector<std::uint32_t> stack{root};
    while (!stack.empty()) {
        const std::uint32_t draft = stack.back();
        stack.pop_back();
        close_until(parent_[draft]);
        open.push_back(draft);
        number_[draft] = static_cast<std::uint32_t>(draft_of_.size());
        draft_of_.push_back(draft);
        forest.parent_.push_back(parent_[draft] == no_draft ? ProviderForest::none
                                                            : number_[parent_[draft]]);
        forest.tree_of_.push_back(static_cast<TreeIndex>(forest.tree_begin_.size() - 1));
        for (std::uint32_t child = child_begin_[draft + 1]; child-- > child_begin_[draft];) {
            stack.push_back(children_[child]);
        }
    }
    close_until(no_draft);
}

void ProviderForestBuilder::Drafts::number_trees(ProviderForest& forest) {
    const auto count = static_cast<std::uint32_t>(drafts_.size());
    number_.assign(count, no_draft);
    forest.subtree_end_.resize(count);
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        if (number_[by_uuid_[rank]] != no_draft) {
            continue;
        }
        // This is the least uuid of a tree that has no numbers yet.
        std::uint32_t root = by_uuid_[rank];
        for (std::uint32_t steps = 0; parent_[root] != no_draft; root = parent_[root]) {
            BERTH_ASSERT(steps++ < count, "no provider is its own ancestor");
        }
        forest.tree_begin_.push_back(static_cast<std::uint32_t>(draft_of_.size()));
        forest.least_rank_.push_back(rank);
        number_tree(root, forest);
    }
    BERTH_ASSERT(draft_of_.size() == count, "every provider is in one tree");
    forest.tree_begin_.push_back(count);
}

void ProviderForestBuilder::Drafts::fill_columns(ProviderForest& forest) {
    const std::size_t count = drafts_.size();
    forest.classes_ = NameTable(classes.values());
    forest.traits_ = traits.table();
    forest.aggregates_ = aggregates.table();
    forest.trait_sets_ = traits.sets(forest.traits_);
    forest.aggregate_sets_ = aggregates.sets(forest.aggregates_);
    forest.rank_.resize(count);
    forest.by_rank_.resize(count);
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        const ProviderIndex provider = number_[by_uuid_[rank]];
        forest.rank_[provider] = rank;
        forest.by_rank_[rank] = provider;
    }
    const std::vector<std::uint32_t> class_numbers = numbers_in(forest.classes_, classes);
    forest.rows_.reserve(rows_.size());
    forest.text_begin_.reserve(2 * count + 1);
    for (const std::uint32_t number : draft_of_) {
        const Draft& draft = drafts_[number];
        for (const Text& text : {draft.uuid, draft.name}) {
            forest.text_begin_.push_back(static_cast<std::uint32_t>(forest.texts_.size()));
            forest.texts_ += read(text);
        }
        forest.row_begin_.push_back(static_cast<std::uint32_t>(forest.rows_.size()));
        std::uint64_t bits = 0;
        for (std::uint32_t row = draft.row_begin; row < draft.row_end; ++row) {
            const ClassIndex type = class_numbers[rows_[row].resource_class];
            forest.rows_.push_back(rows_[row]);
            forest.rows_.back().resource_class = type;
            bits |= std::uint64_t{1} << type % 64;
        }
        forest.class_bits_.push_back(bits);
        forest.trait_set_.push_back(draft.trait_set);
        forest.aggregate_set_.push_back(draft.aggregate_set);
    }
    forest.text_begin_.push_back(static_cast<std::uint32_t>(forest.texts_.size()));
    forest.row_begin_.push_back(static_cast<std::uint32_t>(forest.rows_.size()));
    BERTH_ASSERT(forest.rows_.size() == rows_.size(), "every inventory is its provider's");
    BERTH_ASSERT(forest.texts_.size() < no_draft, "texts are counted in 32 bits");
}

void ProviderForestBuilder::Drafts::index_trees(ProviderForest& forest) {
    forest.trees_with_trait_.resize(forest.traits_.size());
    forest.trees_in_aggregate_.resize(forest.aggregates_.size());
    const auto note = [](std::vector<TreeIndex>& trees, TreeIndex tree) {
        if (trees.empty() || trees.back() != tree) {
            trees.push_back(tree);
        }
    };
    for (ProviderIndex provider = 0; provider < forest.provider_count(); ++provider) {
        const TreeIndex tree = forest.tree(provider);
        for (const auto trait : forest.trait_sets_.members(forest.trait_set_[provider])) {
            note(forest.trees_with_trait_[trait], tree);
        }
        for (const auto name : forest.aggregate_sets_.members(forest.aggregate_set_[provider])) {
            note(forest.trees_in_aggregate_[name], tree);
        }
    }
}

void ProviderForestBuilder::Drafts::find_sharing(ProviderForest& forest) const {
    const auto trait = forest.traits_.find(sharing_trait);
    std::vector<std::vector<std::uint32_t>> shared(forest.tree_count());
    for (ProviderIndex provider = 0; trait && provider < forest.provider_count(); ++provider) {
        if (!forest.trait_sets_.contains(forest.trait_set_[provider], *trait)) {
            continue;
        }
        std::vector<TreeIndex>& served = forest.served_.emplace_back();
        for (const auto name : forest.aggregate_sets_.members(forest.aggregate_set_[provider])) {
            const std::vector<TreeIndex>& trees = forest.trees_in_aggregate_[name];
            served.insert(served.end(), trees.begin(), trees.end());
        }
        std::ranges::sort(served);
        const auto repeated = std::ranges::unique(served);
        served.erase(repeated.begin(), repeated.end());
        for (const TreeIndex tree : served) {
            if (tree != forest.tree(provider)) {
                shared[tree].push_back(static_cast<std::uint32_t>(forest.sharing_.size()));
            }
        }
        forest.sharing_.push_back(provider);
    }
    for (const std::vector<std::uint32_t>& list : shared) {
        forest.shared_begin_.push_back(static_cast<std::uint32_t>(forest.shared_.size()));
        forest.shared_.insert(forest.shared_.end(), list.begin(), list.end());
    }
    forest.shared_begin_.push_back(static_cast<std::uint32_t>(forest.shared_.size()));
}

void ProviderForestBuilder::Drafts::index_classes(ProviderForest& forest) {
    std::vector<std::vector<TreeIndex>> trees(forest.classes_.size());
    std::vector<std::vector<Amount>> most(forest.classes_.size());
    for (ProviderIndex provider = 0; provider < forest.provider_count(); ++provider) {
        for (const InventoryRow& row : forest.inventories(provider)) {
            const Amount left = row.capacity - row.used;
            std::vector<TreeIndex>& list = trees[row.resource_class];
            if (list.empty() || list.back() != forest.tree(provider)) {
                list.push_back(forest.tree(provider));
                most[row.resource_class].push_back(left);
            } else {
                Amount& so_far = most[row.resource_class].back();
                so_far = std::max(so_far, left);
            }
        }
    }
    for (std::size_t type = 0; type < trees.size(); ++type) {
        forest.max_free_.emplace_back(std::move(trees[type]), most[type]);
    }
}

ProviderForest ProviderForestBuilder::Drafts::build() {
    ProviderForest forest;
    if (!checked_) {
        sort_by_uuid();
        BERTH_ASSERT(uuids_differ(), "no two providers have one uuid");
        const bool known = find_parents();
        BERTH_ASSERT(known, "parents are providers");
    }
    list_children();
    number_trees(forest);
    fill_columns(forest);
    index_trees(forest);
    find_sharing(forest);
    index_classes(forest);
    return forest;
}

ProviderForestBuilder::ProviderForestBuilder() : drafts_(std::make_unique<Drafts>()) {}
ProviderForestBuilder::~ProviderForestBuilder() = default;

void ProviderForestBuilder::know_trait(std::string_view name) {
    drafts_->traits.know(name);
}

void ProviderForestBuilder::know_resource_class(std::string_view name) {
    (void)drafts_->classes.number(std::string(name));
}

void ProviderForestBuilder::add(const ResourceProvider& provider) {
    drafts_->add(provider);
}

bool ProviderForestBuilder::is_forest() {
    return drafts_->is_forest();
}

ProviderForest ProviderForestBuilder::build() {
    return drafts_->build();
}

}  // namespace berth::core
