#include "schedulers/kueue/decide/topology_aware/domain_choice.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace berth::core::kueue {

std::shared_ptr<ShapeCounts> CountedShapes::find(TaskShape shape) {
    const auto found =
        std::ranges::find_if(kept_, [&](const auto& counts) { return counts->shape() == shape; });
    if (found != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, found);
        return kept_.front();
    }
    auto counts = std::make_shared<ShapeCounts>(snapshot_, std::move(shape));
    // Where moved pods must lie is hardly ever asked twice.
    if (!counts->shape().within.domain) {
        kept_.push_front(counts);
        kept_.resize(std::min(kept_.size(), kept_max));
    }
    return counts;
}

void DomainCounts::fill(const PlacementTask& task,
                        const PlacementParameters& parameters,
                        NodeFilterCache& filters) {
    counts_ = shapes_.find(shape_of(task, parameters, filters));
    counts_->catch_up(task.assumed);
}

TaskShape DomainCounts::shape_of(const PlacementTask& task,
                                 const PlacementParameters& parameters,
                                 NodeFilterCache& filters) const {
    TaskShape shape;
    shape.workers = task.workers.requests;
    if (task.leader != nullptr) {
        shape.leader = task.leader->requests;
    }
    shape.slice_size = parameters.slice_size;
    shape.slice_level = parameters.slice_level;
    shape.inner_sizes = parameters.inner_sizes;
    shape.empty = task.empty;
    shape.within = task.within;
    if (!snapshot().has_nodes()) {
        return shape;
    }
    const bool keeps = !task.uid.empty() && snapshot().gate(FeatureGate::cache_node_matches);
    const auto known = keeps ? filters.find(task.workers.name) : filters.end();
    if (known != filters.end()) {
        shape.filter = known->second;
        shape.forgets_scores = !known->second.preferred.empty();
        return shape;
    }
    shape.filter = NodeFilter::of(
        task.workers, parameters, snapshot().gate(FeatureGate::respect_preferred_affinity));
    if (keeps) {
        filters.emplace(task.workers.name, *shape.filter);
    }
    return shape;
}

void DomainCounts::roll_up(NodeId top) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for_each_level_below(top.index, top.index + 1, [&](std::uint32_t begin, std::uint32_t end) {
        ranges.emplace_back(begin, end);
    });
    std::size_t level = snapshot().last_level();
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range, --level) {
        for (const NodeId domain : node_range(range->first, range->second)) {
            const DomainState sum = counts_->summed(domain, level, 0);
            edit(domain) = sum;
        }
    }
}

Domains DomainChoice::sorted_by(Domains domains, bool least_first, bool for_leader) const {
    const std::int64_t sign = least_first ? 1 : -1;
    const auto key = [&](NodeId domain) {
        const DomainState& state = counts_[domain];
        return std::tuple(for_leader ? -state.leaders : 0,
                          scored() ? -state.affinity : 0,
                          sign * state.capacity(true, for_leader),
                          state.capacity(false, for_leader),
                          domain);
    };
    std::ranges::sort(domains, {}, key);
    return domains;
}

Domains DomainChoice::sorted(Domains domains, bool least_first) const {
    return sorted_by(std::move(domains), least_first, false);
}

Domains DomainChoice::sorted_for_leader(Domains domains, bool least_first) const {
    return sorted_by(std::move(domains), least_first, true);
}

NodeId DomainChoice::best_fit(std::span<const NodeId> domains,
                              std::int64_t need,
                              std::int64_t leaders,
                              bool in_slices) const {
    std::optional<NodeId> best;
    std::int64_t least = std::numeric_limits<std::int32_t>::max();
    for (const NodeId domain : domains) {
        const DomainState& state = counts_[domain];
        if (scored() && state.affinity != counts_[domains.front()].affinity) {
            break;
        }
        const std::int64_t capacity = state.capacity(in_slices, leaders > 0);
        if (state.leaders >= leaders && capacity >= need && capacity < least) {
            best = domain;
            least = capacity;
        }
    }
    return best.value_or(domains.front());
}

Domains DomainChoice::leader_first(Domains domains,
                                   std::int64_t need,
                                   std::int64_t leaders,
                                   bool in_slices) const {
    if (leaders == 0 || domains.size() < 2) {
        return domains;
    }
    std::int64_t all = 0;
    for (const NodeId domain : domains) {
        all += counts_[domain].capacity(in_slices, false);
    }
    const auto hosts = [&](NodeId domain) {
        const DomainState& state = counts_[domain];
        const std::int64_t lost =
            state.capacity(in_slices, false) - state.capacity(in_slices, true);
        return state.leaders >= leaders && all - lost >= need;
    };
    const auto found = std::ranges::find_if(domains, hosts);
    if (found != domains.end()) {
        std::rotate(domains.begin(), found, found + 1);
    }
    return domains;
}

Domains DomainChoice::minimum(const Domains& domains,
                              std::int64_t count,
                              std::int64_t leaders,
                              std::int64_t slice_size,
                              bool in_slices) {
    const std::int64_t unit = in_slices ? slice_size : 1;
    std::int64_t left = count / unit;
    const Domains order = leader_first(domains, left, leaders, in_slices);
    Domains taken;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool with_leader = leaders > 0;
        const auto is_enough = [&](const DomainState& state) {
            return state.capacity(in_slices, with_leader) >= left && state.leaders >= leaders;
        };
        NodeId domain = order[i];
        if (!parameters_.least_free_first && is_enough(counts_[domain])) {
            domain = best_fit(std::span(order).subspan(i), left, leaders, in_slices);
        }
        DomainState& state = counts_.edit(domain);
        const bool done = is_enough(state);
        const std::int64_t take = std::min(state.capacity(in_slices, with_leader), left);
        (in_slices ? state.slices : state.pods) = take;
        state.leaders = std::min(state.leaders, leaders);
        state.pods = take * unit;
        taken.push_back(domain);
        if (done) {
            return taken;
        }
        leaders -= state.leaders;
        left -= take;
    }
    return {};
}

Domains DomainChoice::children(std::span<const NodeId> domains) const {
    Domains found;
    for (const NodeId domain : domains) {
        const auto below = counts_.snapshot().tree().children(domain);
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

}  // namespace berth::core::kueue
