#include "schedulers/kueue/decide/topology_aware/shape_counts.hpp"

#include <algorithm>
#include <limits>

#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/topology_aware/quoted.hpp"

namespace berth::core::kueue {
namespace {

/// How often a request fits, and the resource that keeps it from fitting more often.
struct Fit {
    std::int64_t count = 0;
    std::size_t limiting = 0;
};

Fit fit_of(std::span<const Amount> request, std::span<const Amount> free) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    Fit fit{most, 0};
    for (std::size_t resource = 0; resource < request.size(); ++resource) {
        if (request[resource] > 0) {
            const std::int64_t count =
                std::clamp<std::int64_t>(free[resource] / request[resource], 0, most);
            if (count < fit.count) {
                fit = {count, resource};
            }
        }
    }
    return fit;
}

void subtract(std::vector<Amount>& from, std::span<const Amount> amounts) {
    std::ranges::transform(from, amounts, from.begin(), minus);
}

std::int64_t rounded_down(std::int64_t pods, std::int64_t size) {
    return size == 0 ? pods : pods / size * size;
}

}  // namespace

ShapeCounts::ShapeCounts(const TopologySnapshot& snapshot, TaskShape shape)
    : snapshot_(snapshot),
      shape_(std::move(shape)),
      changes_(snapshot.is_empty() ? nullptr : &snapshot.ledger().changes()),
      orders_(snapshot.levels().size()) {
    if (snapshot_.is_empty()) {
        return;
    }
    const Topology& tree = snapshot_.tree();
    edited_.assign(tree.node_count(), 0);
    limited_by_.assign(snapshot_.ledger().resource_count(), 0);
    filter_leaves();
}

void ShapeCounts::filter_leaves() {
    const std::uint32_t servers = snapshot_.tree().server_count();
    excluded_.set_total(servers);
    admitted_.assign(servers, true);
    scores_.assign(servers, 0);
    for (std::uint32_t i = 0; i < servers; ++i) {
        if (shape_.filter) {
            const NodeProperties& node = snapshot_.node(ServerId{i});
            if (const std::string why = shape_.filter->why_excluded(node); !why.empty()) {
                excluded_.add(why);
                admitted_[i] = false;
                continue;
            }
            // Kueue adds a score to itself when it is computed, and forgets the scores that it
            // keeps.
            scores_[i] = shape_.forgets_scores ? 0 : 2 * shape_.filter->score(node);
        }
        if (!shape_.within.admits(snapshot_.tree().node_of(ServerId{i}), snapshot_)) {
            excluded_.add("topologyDomain");
            admitted_[i] = false;
        }
    }
}

void ShapeCounts::catch_up(const AssumedUsage& assumed) {
    ++decision_;
    if (snapshot_.is_empty()) {
        return;
    }
    take_back_edits();
    if (!is_built_ || changes_.has_missed()) {
        rebuild(assumed);
        return;
    }
    std::set<NodeId> changed(assumed_.begin(), assumed_.end());
    changes_.each([&](ServerId server) {
        if (const auto leaf = snapshot_.leaf_of(server)) {
            changed.insert(*leaf);
        }
    });
    assumed_.clear();
    for (const auto& [leaf, amounts] : assumed) {
        assumed_.push_back(leaf);
        changed.insert(leaf);
    }
    for (const NodeId leaf : changed) {
        refresh(leaf, assumed);
    }
    roll_up(std::move(changed));
}

void ShapeCounts::take_back_edits() {
    for (const auto& [domain, before] : edits_) {
        states_[domain.index] = before;
    }
    edits_.clear();
}

DomainState& ShapeCounts::edit(NodeId domain) {
    if (edited_[domain.index] != decision_) {
        edited_[domain.index] = decision_;
        edits_.emplace_back(domain, states_[domain.index]);
    }
    return states_[domain.index];
}

void ShapeCounts::rebuild(const AssumedUsage& assumed) {
    const Topology& tree = snapshot_.tree();
    is_built_ = true;
    states_.assign(tree.node_count(), {});
    orders_.assign(orders_.size(), std::nullopt);
    limiting_.assign(tree.server_count(), none);
    std::ranges::fill(limited_by_, 0);
    assumed_.clear();
    for (const auto& [leaf, amounts] : assumed) {
        assumed_.push_back(leaf);
    }
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        refresh(tree.node_of(ServerId{i}), assumed);
    }
    for (std::size_t level = snapshot_.last_level(); level-- > 0;) {
        for (const NodeId domain : snapshot_.domains(level)) {
            set(domain, level, summed(domain, level, inner_size(level)));
        }
    }
    changes_.skip();
}

void ShapeCounts::refresh(NodeId leaf, const AssumedUsage& assumed) {
    const std::uint32_t server = snapshot_.tree().server_of(leaf).index;
    DomainState state;
    if (admitted_[server]) {
        state = leaf_state(leaf, assumed);
    }
    // A leaf outside the domain where pods must be still counts with its score.
    state.affinity = scores_[server];
    const std::size_t level = snapshot_.last_level();
    if (level == shape_.slice_level) {
        state.slices = state.pods / shape_.slice_size;
        state.slices_with_leader = state.pods_with_leader / shape_.slice_size;
    }
    set(leaf, level, state);
}

DomainState ShapeCounts::leaf_state(NodeId leaf, const AssumedUsage& assumed) {
    std::vector<Amount> free = snapshot_.free(leaf, shape_.empty);
    if (const auto taken = assumed.find(leaf); taken != assumed.end()) {
        subtract(free, taken->second);
    }
    DomainState state;
    const Fit fit = fit_of(shape_.workers, free);
    state.pods = fit.count;
    set_limiting(leaf, fit.count == 0 ? static_cast<std::int32_t>(fit.limiting) : none);
    if (shape_.leader && fit_of(*shape_.leader, free).count > 0) {
        state.leaders = 1;
        subtract(free, *shape_.leader);
    }
    state.pods_with_leader = fit_of(shape_.workers, free).count;
    return state;
}

void ShapeCounts::set_limiting(NodeId leaf, std::int32_t resource) {
    std::int32_t& limiting = limiting_[snapshot_.tree().server_of(leaf).index];
    if (limiting != none) {
        --limited_by_[static_cast<std::size_t>(limiting)];
    }
    if (resource != none) {
        ++limited_by_[static_cast<std::size_t>(resource)];
    }
    limiting = resource;
}

void ShapeCounts::roll_up(std::set<NodeId> changed) {
    const Topology& tree = snapshot_.tree();
    for (std::size_t level = snapshot_.last_level(); level-- > 0 && !changed.empty();) {
        std::set<NodeId> above;
        for (const NodeId domain : changed) {
            above.insert(tree.parent(domain));
        }
        for (const NodeId domain : above) {
            set(domain, level, summed(domain, level, inner_size(level)));
        }
        changed = std::move(above);
    }
}

void ShapeCounts::set(NodeId domain, std::size_t level, const DomainState& state) {
    ++states_computed_;
    std::optional<LevelOrder>& order = orders_[level];
    if (order) {
        order->erase(key(domain));
    }
    states_[domain.index] = state;
    if (order) {
        order->insert(key(domain));
    }
}

const LevelOrder& ShapeCounts::order(std::size_t level) {
    std::optional<LevelOrder>& order = orders_[level];
    if (!order) {
        order.emplace();
        for (const NodeId domain : snapshot_.domains(level)) {
            order->insert(key(domain));
        }
    }
    return *order;
}

DomainState ShapeCounts::summed(NodeId domain, std::size_t level, std::int64_t inner_size) const {
    const Topology& tree = snapshot_.tree();
    DomainState sum;
    if (tree.is_server(domain)) {
        sum = (*this)[domain];
    } else {
        std::optional<std::int64_t> least_pods;
        std::optional<std::int64_t> least_slices;
        for (const NodeId child : tree.children(domain)) {
            const DomainState& part = states_[child.index];
            const std::int64_t pods = rounded_down(part.pods, inner_size);
            sum.pods += pods;
            sum.slices += part.slices;
            sum.leaders = std::max(sum.leaders, part.leaders);
            sum.affinity += part.affinity;
            if (!shape_.leader || part.leaders > 0) {
                const std::int64_t lost = pods - rounded_down(part.pods_with_leader, inner_size);
                least_pods = std::min(least_pods.value_or(lost), lost);
                const std::int64_t fewer = part.slices - part.slices_with_leader;
                least_slices = std::min(least_slices.value_or(fewer), fewer);
            }
        }
        sum.pods_with_leader = least_pods ? sum.pods - *least_pods : 0;
        sum.slices_with_leader = least_slices ? sum.slices - *least_slices : 0;
    }
    if (level == shape_.slice_level) {
        sum.slices = sum.pods / shape_.slice_size;
        sum.slices_with_leader = sum.pods_with_leader / shape_.slice_size;
    }
    return sum;
}

Exclusions ShapeCounts::exclusions() const {
    Exclusions all = excluded_;
    for (std::size_t resource = 0; resource < limited_by_.size(); ++resource) {
        if (limited_by_[resource] > 0) {
            all.add("resource " + kueue::quoted(snapshot_.tree().resources().name(resource)),
                    limited_by_[resource]);
        }
    }
    return all;
}

}  // namespace berth::core::kueue
