#include "schedulers/kueue/decide/quota_tree.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core::kueue {
namespace {

std::weak_ordering by_number(double a, double b) {
    return a < b   ? std::weak_ordering::less
           : a > b ? std::weak_ordering::greater
                   : std::weak_ordering::equivalent;
}

double share(const DominantShare& of) {
    return of.ratio == 0 ? 0 : of.ratio / of.weight;
}

}  // namespace

bool DominantShare::borrows_any_of(const FlavorResourceAmounts& requests) const {
    return std::ranges::any_of(borrowed, [&](FlavorResource what) {
        const auto request = requests.find(what);
        return request != requests.end() && request->second > 0;
    });
}

std::weak_ordering compare(const DominantShare& a, const DominantShare& b) {
    if (a.is_infinite() && b.is_infinite()) {
        return by_number(a.ratio, b.ratio);
    }
    if (a.is_infinite() || b.is_infinite()) {
        return a.is_infinite() ? std::weak_ordering::greater : std::weak_ordering::less;
    }
    return by_number(share(a), share(b));
}

QuotaTree::QuotaTree(std::vector<QuotaNodeSpec> nodes) {
    nodes_.reserve(nodes.size());
    for (QuotaNodeSpec& spec : nodes) {
        nodes_.emplace_back().spec = std::move(spec);
    }
    const std::vector<QuotaNode> order = parents_first();
    BERTH_ASSERT(order.size() == nodes_.size(), "no cohort is above itself");
    connect(order);
    gather_quota(order);
    for (const QuotaNode node : order) {
        if (!at(node).spec.is_queue) {
            measure_lendable(node);
        }
    }
}

std::vector<QuotaNode> QuotaTree::parents_first() const {
    std::vector<std::vector<QuotaNode>> children(nodes_.size());
    std::vector<QuotaNode> order;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const auto parent = nodes_[i].spec.parent;
        BERTH_ASSERT(!parent || !at(*parent).spec.is_queue, "only a cohort has children");
        (parent ? children[parent->index] : order).push_back(QuotaNode{i});
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
        const std::vector<QuotaNode>& below = children[order[done].index];
        order.insert(order.end(), below.begin(), below.end());
    }
    return order;
}

void QuotaTree::connect(const std::vector<QuotaNode>& order) {
    for (const QuotaNode node : order) {
        const QuotaNodeSpec& spec = at(node).spec;
        at(node).root = spec.parent ? at(*spec.parent).root : node;
        if (spec.parent && spec.is_queue && spec.active) {
            at(*spec.parent).queues.push_back(node);
        } else if (spec.parent && !spec.is_queue) {
            at(*spec.parent).cohorts.push_back(node);
        }
    }
    const auto by_name = [&](QuotaNode node) -> const std::string& { return name(node); };
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        Node& here = at(*node);
        std::ranges::sort(here.cohorts, {}, by_name);
        std::ranges::sort(here.queues, {}, by_name);
        here.height = here.queues.empty() ? 0 : 1;
        for (const QuotaNode cohort : here.cohorts) {
            here.height = std::max(here.height, at(cohort).height + 1);
        }
    }
}

void QuotaTree::gather_quota(const std::vector<QuotaNode>& order) {
    for (const QuotaNode node : order) {
        for (const auto& [what, quota] : at(node).spec.quotas) {
            Cell& cell = cells_[make_cell(node, what)];
            cell.quota = quota;
            cell.subtree = quota.nominal;
            cell.has_quota = true;
        }
    }
    // A child adds what it lends to its cohort after everything below the child has been added.
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        for (const auto& [what, index] : at(*node).cells) {
            Cell& cell = cells_[index];
            cell.kept = cell.quota.lending_limit
                            ? std::max<Amount>(0, minus(cell.subtree, *cell.quota.lending_limit))
                            : 0;
            if (cell.parent != none) {
                Cell& above = cells_[cell.parent];
                above.subtree = plus(above.subtree, minus(cell.subtree, cell.kept));
                above.has_quota = true;
            }
        }
    }
    for (const QuotaNode node : order) {
        for (const auto& [what, index] : at(node).cells) {
            Cell& cell = cells_[index];
            if (cell.parent == none) {
                cell.potential = cell.subtree;
                continue;
            }
            cell.potential = plus(cell.kept, cells_[cell.parent].potential);
            if (cell.quota.borrowing_limit) {
                cell.potential =
                    std::min(plus(cell.subtree, *cell.quota.borrowing_limit), cell.potential);
            }
        }
    }
}

void QuotaTree::gather_usage(const std::vector<QuotaNode>& order) {
    for (const QuotaNode node : order) {
        for (const auto& [what, index] : at(node).cells) {
            cells_[index].usage = at(node).spec.is_queue ? cells_[index].usage : 0;
        }
    }
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        for (const auto& [what, index] : at(*node).cells) {
            const Cell& cell = cells_[index];
            if (cell.parent != none) {
                Cell& above = cells_[cell.parent];
                above.usage = plus(above.usage, std::max<Amount>(0, minus(cell.usage, cell.kept)));
            }
        }
    }
}

void QuotaTree::set_quotas(QuotaNode node,
                           boost::container::flat_map<FlavorResource, Quota> quotas) {
    BERTH_ASSERT(!on_trial_, "quota does not change on trial");
    at(node).spec.quotas = std::move(quotas);
    std::vector<QuotaNode> order = parents_first();
    std::erase_if(order, [&](QuotaNode other) { return root(other) != root(node); });
    for (const QuotaNode changed : order) {
        at(changed).lendable.clear();
        for (const auto& [what, index] : at(changed).cells) {
            Cell& cell = cells_[index];
            cell.quota = {};
            cell.has_quota = false;
            cell.subtree = 0;
        }
    }
    gather_quota(order);
    gather_usage(order);
    for (const QuotaNode changed : order) {
        if (!at(changed).spec.is_queue) {
            measure_lendable(changed);
        }
    }
}

void QuotaTree::measure_lendable(QuotaNode cohort) {
    Node& node = at(cohort);
    for (const auto& [what, index] : at(node.root).cells) {
        add_to(node.lendable, what.resource, potential(cohort, what));
    }
}

std::uint32_t QuotaTree::make_cell(QuotaNode node, FlavorResource what) {
    std::uint32_t below = none;
    std::uint32_t first = none;
    for (std::optional<QuotaNode> here = node; here; here = at(*here).spec.parent) {
        const auto [entry, fresh] =
            at(*here).cells.try_emplace(what, static_cast<std::uint32_t>(cells_.size()));
        if (fresh) {
            cells_.emplace_back();
        }
        if (below != none) {
            cells_[below].parent = entry->second;
        }
        first = first == none ? entry->second : first;
        below = entry->second;
        if (!fresh) {
            break;
        }
    }
    // A node without quota and limits of its own can take as much as the nearest node above it that
    // has any.
    for (std::uint32_t cell = first; cell != below; cell = cells_[cell].parent) {
        cells_[cell].potential = cells_[below].potential;
    }
    return first;
}

std::uint32_t QuotaTree::cell_at_or_above(QuotaNode node, FlavorResource what) const {
    for (std::optional<QuotaNode> here = node; here; here = at(*here).spec.parent) {
        const auto cell = at(*here).cells.find(what);
        if (cell != at(*here).cells.end()) {
            return cell->second;
        }
    }
    return none;
}

const QuotaTree::Cell* QuotaTree::find(QuotaNode node, FlavorResource what) const {
    const auto cell = at(node).cells.find(what);
    return cell == at(node).cells.end() ? nullptr : &cells_[cell->second];
}

bool QuotaTree::is_below(QuotaNode node, QuotaNode ancestor) const {
    for (std::optional<QuotaNode> here = node; here; here = at(*here).spec.parent) {
        if (*here == ancestor) {
            return true;
        }
    }
    return false;
}

std::vector<QuotaNode> QuotaTree::cohorts_below(QuotaNode cohort) const {
    std::vector<QuotaNode> found;
    std::vector<QuotaNode> open{cohort};
    while (!open.empty()) {
        const QuotaNode next = open.back();
        open.pop_back();
        found.push_back(next);
        const auto below = cohorts(next);
        open.insert(open.end(), below.rbegin(), below.rend());
    }
    return found;
}

Quota QuotaTree::quota(QuotaNode node, FlavorResource what) const {
    const Cell* cell = find(node, what);
    return cell == nullptr ? Quota() : cell->quota;
}

Amount QuotaTree::usage(QuotaNode node, FlavorResource what) const {
    const Cell* cell = find(node, what);
    return cell == nullptr ? 0 : cell->usage;
}

Amount QuotaTree::total(QuotaNode node, FlavorResource what) const {
    const Cell* cell = find(node, what);
    return cell == nullptr ? 0 : cell->subtree;
}

Amount QuotaTree::own_available(const Cell& cell) {
    return own_available(cell, cell.usage);
}

Amount QuotaTree::own_available(const Cell& cell, Amount usage) {
    return std::max<Amount>(0, minus(cell.kept, usage));
}

Amount QuotaTree::available(QuotaNode queue, FlavorResource what) const {
    boost::container::small_vector<std::uint32_t, 16> path;
    for (std::uint32_t cell = cell_at_or_above(queue, what); cell != none;
         cell = cells_[cell].parent) {
        path.push_back(cell);
    }
    if (path.empty()) {
        return 0;
    }
    const Cell& root = cells_[path.back()];
    Amount result = minus(root.subtree, root.usage);
    path.pop_back();
    for (; !path.empty(); path.pop_back()) {
        const Cell& cell = cells_[path.back()];
        if (cell.quota.borrowing_limit) {
            const Amount lent = minus(cell.subtree, cell.kept);
            const Amount used = std::max<Amount>(0, minus(cell.usage, cell.kept));
            result = std::min(plus(minus(lent, used), *cell.quota.borrowing_limit), result);
        }
        result = plus(own_available(cell), result);
    }
    return std::max<Amount>(0, result);
}

Amount QuotaTree::available_at_most(QuotaNode queue,
                                    FlavorResource what,
                                    std::span<const Amount> less) const {
    if (std::ranges::find(less, unlimited) != less.end()) {
        return unlimited;
    }
    struct Step {
        const Cell* cell;
        Amount usage;
    };
    boost::container::small_vector<Step, 16> path;
    std::size_t level = 0;
    for (std::optional<QuotaNode> node = queue; node; node = parent(*node), ++level) {
        if (const Cell* cell = find(*node, what)) {
            path.push_back({cell, minus(cell->usage, less[level])});
        }
    }
    if (path.empty()) {
        return 0;
    }
    Amount result = minus(path.back().cell->subtree, path.back().usage);
    path.pop_back();
    for (; !path.empty(); path.pop_back()) {
        const auto& [cell, usage] = path.back();
        if (cell->quota.borrowing_limit) {
            const Amount lent = minus(cell->subtree, cell->kept);
            const Amount used = std::max<Amount>(0, minus(usage, cell->kept));
            result = std::min(plus(minus(lent, used), *cell->quota.borrowing_limit), result);
        }
        result = plus(own_available(*cell, usage), result);
    }
    return std::max<Amount>(0, result);
}

Amount QuotaTree::potential(QuotaNode node, FlavorResource what) const {
    const std::uint32_t cell = cell_at_or_above(node, what);
    return cell == none ? 0 : cells_[cell].potential;
}

bool QuotaTree::borrows_with(QuotaNode node, FlavorResource what, Amount amount) const {
    const Cell* cell = find(node, what);
    return cell == nullptr ? amount > 0 : cell->subtree < plus(cell->usage, amount);
}

bool QuotaTree::within_nominal(QuotaNode node, const FlavorResources& what) const {
    return std::ranges::none_of(what,
                                [&](FlavorResource one) { return borrows_with(node, one, 0); });
}

bool QuotaTree::take_own(QuotaNode node, FlavorResourceAmounts& requests) const {
    bool fits = true;
    for (auto& [what, amount] : requests) {
        fits = fits && !borrows_with(node, what, amount);
        const Cell* cell = find(node, what);
        amount = std::max<Amount>(0, minus(amount, cell == nullptr ? 0 : own_available(*cell)));
    }
    return fits;
}

BorrowingHeight QuotaTree::borrowing_height(QuotaNode queue,
                                            FlavorResource what,
                                            Amount amount) const {
    if (!parent(queue) || !borrows_with(queue, what, amount)) {
        return {0, parent(queue).has_value()};
    }
    for (QuotaNode node = queue; parent(node); node = *parent(node)) {
        const Cell* cell = find(node, what);
        amount = minus(amount, cell == nullptr ? 0 : own_available(*cell));
        const QuotaNode above = *parent(node);
        if (!borrows_with(above, what, amount)) {
            return {at(above).height, parent(above).has_value()};
        }
    }
    return {at(root(queue)).height, false};
}

DominantShare QuotaTree::share(QuotaNode node) const {
    DominantShare share;
    share.weight = at(node).spec.weight;
    const std::optional<QuotaNode> cohort = parent(node);
    if (!cohort) {
        return share;
    }
    ResourceAmounts borrowed;
    for (const auto& [what, index] : at(node).cells) {
        const Cell& cell = cells_[index];
        const Amount over = minus(cell.usage, cell.subtree);
        if (cell.has_quota && over > 0) {
            add_to(borrowed, what.resource, over);
            share.borrowed.insert(what);
        }
    }
    const ResourceAmounts& lendable = at(*cohort).lendable;
    for (const auto& [resource, amount] : borrowed) {
        const auto lent = lendable.find(resource);
        if (lent != lendable.end() && lent->second > 0) {
            const double ratio =
                static_cast<double>(amount) * 1000.0 / static_cast<double>(lent->second);
            share.ratio = std::max(share.ratio, ratio);
        }
    }
    return share;
}

void QuotaTree::add_usage(QuotaNode queue, const FlavorResourceAmounts& usage) {
    for (const auto& [what, amount] : usage) {
        add(make_cell(queue, what), amount);
    }
}

void QuotaTree::remove_usage(QuotaNode queue, const FlavorResourceAmounts& usage) {
    for (const auto& [what, amount] : usage) {
        remove(make_cell(queue, what), amount);
    }
}

void QuotaTree::begin_trial() {
    BERTH_ASSERT(!on_trial_, "one trial at a time");
    on_trial_ = true;
    ++trials_;
}

void QuotaTree::roll_back() {
    BERTH_ASSERT(on_trial_, "a trial was begun before");
    on_trial_ = false;
    for (const auto& [cell, usage] : before_) {
        set_usage(cell, usage);
    }
    before_.clear();
}

void QuotaTree::set_usage(std::uint32_t cell, Amount usage) {
    Cell& changed = cells_[cell];
    if (on_trial_ && changed.trial != trials_) {
        changed.trial = trials_;
        before_.emplace_back(cell, changed.usage);
    }
    changed.usage = usage;
    ++cells_changed_;
}

void QuotaTree::add(std::uint32_t cell, Amount amount) {
    while (true) {
        const Cell& here = cells_[cell];
        const Amount own = own_available(here);
        set_usage(cell, plus(here.usage, amount));
        if (here.parent == none || amount <= own) {
            return;
        }
        amount = minus(amount, own);
        cell = here.parent;
    }
}

void QuotaTree::remove(std::uint32_t cell, Amount amount) {
    while (true) {
        const Cell& here = cells_[cell];
        const Amount above = minus(here.usage, here.kept);
        set_usage(cell, minus(here.usage, amount));
        if (here.parent == none || above <= 0) {
            return;
        }
        amount = std::min(amount, above);
        cell = here.parent;
    }
}

}  // namespace berth::core::kueue
