#include "schedulers/kueue/decide/cache.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {
namespace {

/// The parent of each cohort, including cohorts that are only named.
std::map<std::string, std::string> parents_of_cohorts(const CacheSpec& spec) {
    std::map<std::string, std::string> parents;
    for (const ClusterQueue& queue : spec.queues) {
        parents[queue.cohort];
    }
    for (const Cohort& cohort : spec.cohorts) {
        parents[cohort.parent];
    }
    for (const Cohort& cohort : spec.cohorts) {
        parents[cohort.name] = cohort.parent;
    }
    parents.erase("");
    return parents;
}

bool is_active(const CacheSpec& spec, const ClusterQueue& queue) {
    return queue.stop == StopPolicy::none &&
           std::ranges::all_of(queue.groups, [&](const ResourceGroup& group) {
               return std::ranges::all_of(
                   group.flavors, [&](FlavorId flavor) { return spec.flavors.contains(flavor); });
           });
}

/// The queues in their order, then the cohorts that are in no circle, by name.
std::vector<QuotaNodeSpec> nodes_of(const CacheSpec& spec) {
    const std::map<std::string, std::string> parents = parents_of_cohorts(spec);
    const std::set<std::string> circles = cohorts_in_circles(spec);
    std::map<std::string, QuotaNode> numbers;
    for (const auto& [cohort, parent] : parents) {
        if (!circles.contains(cohort)) {
            const auto number = static_cast<std::uint32_t>(spec.queues.size() + numbers.size());
            numbers[cohort] = QuotaNode{number};
        }
    }
    const auto above = [&](const std::string& cohort) {
        const auto number = numbers.find(cohort);
        return number == numbers.end() ? std::nullopt : std::optional(number->second);
    };
    std::vector<QuotaNodeSpec> nodes;
    for (const ClusterQueue& queue : spec.queues) {
        nodes.push_back({queue.name,
                         true,
                         is_active(spec, queue) && !circles.contains(queue.cohort),
                         above(queue.cohort),
                         queue.weight,
                         queue.quotas});
    }
    for (const auto& [cohort, number] : numbers) {
        nodes.push_back({cohort, false, true, above(parents.at(cohort)), 1, {}});
    }
    for (const Cohort& cohort : spec.cohorts) {
        if (const auto number = above(cohort.name)) {
            nodes[number->index].weight = cohort.weight;
            nodes[number->index].quotas = cohort.quotas;
        }
    }
    return nodes;
}

}  // namespace

void replace_objects(CacheSpec& spec,
                     std::vector<ClusterQueue> queues,
                     const std::vector<Cohort>& cohorts) {
    for (ClusterQueue& queue : queues) {
        const auto before = std::ranges::find(spec.queues, queue.name, &ClusterQueue::name);
        BERTH_ASSERT(before != spec.queues.end(), "a queue takes another one's place");
        queue.generation = before->generation;
        *before = std::move(queue);
    }
    for (const Cohort& cohort : cohorts) {
        const auto before = std::ranges::find(spec.cohorts, cohort.name, &Cohort::name);
        if (before != spec.cohorts.end()) {
            *before = cohort;
        } else {
            spec.cohorts.push_back(cohort);
        }
    }
}

std::set<std::string> cohorts_in_circles(const CacheSpec& spec) {
    const std::map<std::string, std::string> parents = parents_of_cohorts(spec);
    enum class Mark : std::uint8_t { open, ends, circles };
    std::map<std::string, Mark> marks;
    for (const auto& [cohort, parent] : parents) {
        std::vector<std::string> path;
        std::string next = cohort;
        while (!next.empty() && !marks.contains(next)) {
            marks[next] = Mark::open;
            path.push_back(next);
            next = parents.at(next);
        }
        const Mark mark = next.empty() || marks.at(next) == Mark::ends ? Mark::ends : Mark::circles;
        for (const std::string& passed : path) {
            marks[passed] = mark;
        }
    }
    std::set<std::string> found;
    for (const auto& [cohort, mark] : marks) {
        if (mark == Mark::circles) {
            found.insert(cohort);
        }
    }
    return found;
}

const ResourceGroup* ClusterQueue::group_of(ResourceId resource) const {
    const auto covers = [&](const ResourceGroup& group) {
        return std::ranges::find(group.resources, resource) != group.resources.end();
    };
    const auto found = std::ranges::find_if(groups, covers);
    return found == groups.end() ? nullptr : &*found;
}

Names::Names(const Names& other) {
    for (std::string& name : other.flavors.values()) {
        (void)flavors.number(std::move(name));
    }
    for (std::string& name : other.resources.values()) {
        (void)resources.number(std::move(name));
    }
}

Cache::Cache(CacheSpec spec)
    : spec_(std::move(spec)),
      tree_(nodes_of(spec_)),
      topologies_only_(spec_.queues.size()),
      by_queue_(spec_.queues.size()),
      versions_(tree_.size(), 0) {
    for (std::uint32_t i = 0; i < spec_.queues.size(); ++i) {
        const bool fresh = queues_by_name_.emplace(spec_.queues[i].name, QuotaNode{i}).second;
        BERTH_ASSERT(fresh, "a name is one queue's");
    }
    find_active();
}

void Cache::find_active() {
    const std::set<std::string> circles = cohorts_in_circles(spec_);
    active_.clear();
    for (const ClusterQueue& queue : spec_.queues) {
        active_.push_back(kueue::is_active(spec_, queue) && !circles.contains(queue.cohort));
    }
}

void Cache::set_topologies(FlavorTopologies* topologies) {
    topologies_ = topologies;
    find_topologies_only();
}

void Cache::find_topologies_only() {
    for (std::size_t i = 0; i < spec_.queues.size(); ++i) {
        const auto has = [&](FlavorId flavor) { return topologies_->has(flavor); };
        const auto& groups = spec_.queues[i].groups;
        topologies_only_[i] =
            topologies_ != nullptr && std::ranges::all_of(groups, [&](const ResourceGroup& group) {
                return std::ranges::all_of(group.flavors, has);
            });
    }
}

std::optional<QuotaNode> Cache::find_queue(std::string_view name) const {
    const auto found = queues_by_name_.find(name);
    return found == queues_by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<QuotaNode> Cache::find_cohort(std::string_view name) const {
    for (auto i = static_cast<std::uint32_t>(queue_count()); i < tree_.size(); ++i) {
        if (tree_.name(QuotaNode{i}) == name) {
            return QuotaNode{i};
        }
    }
    return std::nullopt;
}

const ResourceFlavor* Cache::flavor(FlavorId flavor) const {
    const auto found = spec_.flavors.find(flavor);
    return found == spec_.flavors.end() ? nullptr : &found->second;
}

WorkloadId Cache::add_workload(Workload workload) {
    BERTH_ASSERT(workload.queue, "who holds quota is in a queue");
    WorkloadId id{static_cast<std::uint32_t>(held_.size())};
    if (free_numbers_.empty()) {
        held_.emplace_back();
    } else {
        id = free_numbers_.back();
        free_numbers_.pop_back();
    }
    const QuotaNode queue = *workload.queue;
    held_[id.index] = std::make_unique<HeldWorkload>(
        HeldWorkload::of(id, std::move(workload), spec_.configuration, added_++));
    tree_.add_usage(queue, usage(id));
    unwritten_ += held(id).workload.reserved ? 0 : 1;
    ++versions_[tree_.root(queue).index];
    by_queue_[queue.index].insert(*held_[id.index]);
    return id;
}

Workload Cache::remove_workload(WorkloadId id) {
    HeldWorkload& gone = *held_[id.index];
    BERTH_ASSERT(!gone.out, "who is out for a while comes back first");
    const QuotaNode queue = *gone.workload.queue;
    by_queue_[queue.index].erase(gone);
    tree_.remove_usage(queue, gone.usage);
    ++spec_.queues[queue.index].generation;
    ++versions_[tree_.root(queue).index];
    unwritten_ -= gone.workload.reserved ? 0 : 1;
    free_numbers_.push_back(id);
    Workload workload = std::move(gone.workload);
    held_[id.index].reset();
    return workload;
}

void Cache::reclaim_pods(WorkloadId id, std::size_t pod_set, std::int64_t pods) {
    HeldWorkload& changed = *held_[id.index];
    PodSetResources& total = changed.workload.totals[pod_set];
    BERTH_ASSERT(!total.places, "pods that were placed by topology keep their places");
    if (pods >= total.count) {
        return;
    }
    const QuotaNode queue = *changed.workload.queue;
    by_queue_[queue.index].erase(changed);
    tree_.remove_usage(queue, changed.usage);
    total = total.scaled_to(pods);
    changed.usage = changed.workload.usage();
    tree_.add_usage(queue, changed.usage);
    by_queue_[queue.index].insert(changed);
    ++versions_[tree_.root(queue).index];
    ++spec_.queues[changed.workload.queue->index].generation;
}

void Cache::set_evicted(WorkloadId id, Condition evicted, std::optional<Condition> preempted) {
    HeldWorkload& changed = *held_[id.index];
    HeldWorkloads& others = by_queue_[changed.workload.queue->index];
    // Conditions are part of the order in which candidates are kept.
    others.erase(changed);
    changed.workload.evicted = std::move(evicted);
    changed.workload.preempted = std::move(preempted);
    changed.queued_since = queued_since(changed.workload, spec_.configuration);
    others.insert(changed);
    ++versions_[tree_.root(*changed.workload.queue).index];
    ++spec_.queues[changed.workload.queue->index].generation;
}

void Cache::count_change_below(const std::set<std::string>& queues,
                               const std::set<std::string>& cohorts) {
    std::set<QuotaNode> roots;
    for (std::uint32_t i = 0; i < tree_.size(); ++i) {
        const auto& names = i < queue_count() ? queues : cohorts;
        if (names.contains(tree_.name(QuotaNode{i}))) {
            roots.insert(tree_.root(QuotaNode{i}));
        }
    }
    for (std::uint32_t i = 0; i < queue_count(); ++i) {
        spec_.queues[i].generation += roots.contains(tree_.root(QuotaNode{i})) ? 1 : 0;
    }
}

void Cache::replace(std::vector<ClusterQueue> queues, const std::vector<Cohort>& cohorts) {
    std::set<std::string> changed_queues;
    std::set<std::string> changed_cohorts;
    for (const ClusterQueue& queue : queues) {
        const ClusterQueue& before = spec_.queues[find_queue(queue.name)->index];
        if (!(queue.quotas == before.quotas) || queue.cohort != before.cohort) {
            changed_queues.insert(queue.name);
        }
    }
    for (const Cohort& cohort : cohorts) {
        changed_cohorts.insert(cohort.name);
    }
    count_change_below(changed_queues, changed_cohorts);  // the trees that they leave
    replace_objects(spec_, std::move(queues), cohorts);
    tree_ = QuotaTree(nodes_of(spec_));
    versions_.assign(tree_.size(), 1 + *std::ranges::max_element(versions_));
    for (const auto& held : held_) {
        BERTH_ASSERT(!held || !held->out, "objects do not change in a cycle");
        if (held) {
            tree_.add_usage(*held->workload.queue, held->usage);
        }
    }
    find_active();
    find_topologies_only();
    count_change_below(changed_queues, changed_cohorts);  // the trees that they are in now
}

void Cache::set_quotas(QuotaNode queue, Quotas quotas) {
    tree_.set_quotas(queue, quotas);
    ++versions_[tree_.root(queue).index];
    spec_.queues[queue.index].quotas = std::move(quotas);
    for (std::uint32_t i = 0; i < spec_.queues.size(); ++i) {
        if (tree_.root(QuotaNode{i}) == tree_.root(queue)) {
            ++spec_.queues[i].generation;
        }
    }
}

std::vector<WorkloadId> Cache::workloads(QuotaNode queue) const {
    std::vector<WorkloadId> found;
    for (const HeldWorkload* held : by_queue_[queue.index].by_name()) {
        if (!held->out) {
            found.push_back(held->id);
        }
    }
    return found;
}

void Cache::take_out(WorkloadId id) {
    HeldWorkload& held = *held_[id.index];
    BERTH_ASSERT(!held.out, "a workload is taken out once");
    held.out = true;
    tree_.remove_usage(*held.workload.queue, held.usage);
    for_each_place(held.workload, [&](FlavorId flavor, const PodSet& set, const auto& places) {
        topologies_->remove_usage(flavor, set, places);
    });
}

void Cache::put_back(WorkloadId id) {
    HeldWorkload& held = *held_[id.index];
    BERTH_ASSERT(held.out, "only what was taken out is put back");
    held.out = false;
    tree_.add_usage(*held.workload.queue, held.usage);
    for_each_place(held.workload, [&](FlavorId flavor, const PodSet& set, const auto& places) {
        topologies_->add_usage(flavor, set, places);
    });
}

}  // namespace berth::core::kueue
