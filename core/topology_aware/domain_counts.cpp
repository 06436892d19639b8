#include "core/topology_aware/domain_counts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::core::kueue {

std::shared_ptr<ShapeCounts> CountedShapes::find(TaskShape shape) {
    const auto found =
        std::ranges::find_if(kept_, [&](const auto& counts) { return counts->shape() == shape; });
    if (found != kept_.end()) {
        kept_.splice(kept_.begin(), kept_, found);
        return kept_.front();
    }
    auto counts = std::make_shared<ShapeCounts>(snapshot_, std::move(shape));
    // Where pods that are moved must lie is hardly ever asked twice.
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

}  // namespace berth::core::kueue
