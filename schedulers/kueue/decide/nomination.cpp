#include "schedulers/kueue/decide/nomination.hpp"

#include <algorithm>
#include <utility>

#include "schedulers/kueue/decide/place_assigner.hpp"

namespace berth::core::kueue {
namespace {

/// What an assignment asks for of each flavor. Pod sets of the workload and of the assignment are
/// in the same order. Pod sets after one that needs no quota at all have no assignment.
FlavorResourceAmounts requests_of(const Workload& workload, const Assignment& assignment) {
    FlavorResourceAmounts requests;
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        const PodSetAssignment& set = assignment.pod_sets[i];
        for (const auto& [resource, amount] : workload.totals[i].scaled_to(set.count).requests) {
            const auto flavor = set.flavors.find(resource);
            if (amount != 0 && flavor != set.flavors.end()) {
                add_to(requests, {flavor->second.flavor, resource}, amount);
            }
        }
    }
    return requests;
}

/// The targets that are known from a check, if that check asked for the same and only one resource
/// of one flavor is concerned; else nullptr.
const std::vector<Target>* known_targets(const Assignment& assignment, const Preemptor& preemptor) {
    const bool is_one = preemptor.requests.size() == 1 && preemptor.scarce.size() == 1 &&
                        preemptor.requests.begin()->first == *preemptor.scarce.begin() &&
                        preemptor.places.empty();
    if (!is_one) {
        return nullptr;
    }
    const auto& [what, amount] = *preemptor.requests.begin();
    const auto check = std::ranges::find_if(assignment.checks, [&](const QuotaCheck& one) {
        return one.what == what && one.amount == amount && one.asked_for_targets();
    });
    return check == assignment.checks.end() ? nullptr : &check->targets;
}

/// The number of pods of a pod set that is reduced by `part` of `all` steps.
std::int64_t reduced(const PodSet& set, std::int64_t part, std::int64_t all) {
    __extension__ using Wide = __int128;
    const auto less = static_cast<Wide>(set.count - set.min_count) * part / all;
    return set.count - static_cast<std::int64_t>(less);
}

/// Nominates for all pods or, if that is impossible, for as many as can be admitted.
Nomination nominate_flavors(Cache& cache,
                            const WorkloadOrder& order,
                            const Workload& workload,
                            const LastAssignment* last,
                            const FlavorNomination* nomination) {
    FlavorAssigner assigner(cache, order, workload, last, nomination);
    // Finds the targets. Returns whether the assignment fits, or would fit without its targets.
    const auto with_targets = [&](Nomination& of) {
        const AssignmentMode mode = of.assignment.mode();
        if (mode == AssignmentMode::preempt) {
            const Preemptor preemptor{workload,
                                      *workload.queue,
                                      requests_of(workload, of.assignment),
                                      of.assignment.scarce(),
                                      place_requests(cache, workload, of.assignment)};
            const std::vector<Target>* known = known_targets(of.assignment, preemptor);
            of.targets =
                known != nullptr ? *known : PreemptionSearch(cache, order, preemptor).find();
        }
        return mode == AssignmentMode::fit || !of.targets.empty();
    };
    Nomination full{assigner.assign(), {}};
    if (with_targets(full) || !workload.may_shrink() ||
        !cache.gate(FeatureGate::partial_admission)) {
        return full;
    }
    const auto attempt = [&](std::span<const std::int64_t> counts) {
        Nomination smaller{assigner.assign(counts), {}};
        return with_targets(smaller) ? std::optional(std::move(smaller)) : std::nullopt;
    };
    return reduce_pod_sets(workload.pod_sets, attempt).value_or(std::move(full));
}

bool may_be_kept(const Cache& cache, const Workload& workload) {
    return workload.offer != 0 && cache.topologies() == nullptr &&
           cache.local_queues() == nullptr && cache.are_written();
}

std::optional<TriedFlavors> tried_by(const LastAssignment* last) {
    return last == nullptr ? std::nullopt : std::optional(last->tried);
}

}  // namespace

bool is_outdated(const LastAssignment& last,
                 const Cache& cache,
                 QuotaNode queue,
                 std::int64_t cycle) {
    if (cache.gate(FeatureGate::preserve_scan_progress)) {
        if (last.requests_changed) {
            return true;
        }
        if (minus(cycle, last.cycle) <= 1) {
            return false;
        }
    }
    return cache.queue(queue).generation > last.generation;
}

Nomination nominate(Cache& cache,
                    const WorkloadOrder& order,
                    const Workload& workload,
                    const LastAssignment* last,
                    const FlavorNomination* nomination) {
    Nomination found = nominate_flavors(cache, order, workload, last, nomination);
    assign_places_to_come(cache, workload, found.targets, found.assignment);
    return found;
}

std::optional<Nomination> reduce_pod_sets(
    std::span<const PodSet> sets,
    const std::function<std::optional<Nomination>(std::span<const std::int64_t> counts)>& attempt) {
    std::int64_t steps = 0;
    for (const PodSet& set : sets) {
        steps = plus(steps, set.count - set.min_count);
    }
    std::optional<Nomination> best;
    std::int64_t fewest = 0;
    for (std::int64_t beyond = steps; fewest <= beyond;) {
        const std::int64_t middle = fewest + (beyond - fewest + 1) / 2;
        std::vector<std::int64_t> counts;
        for (const PodSet& set : sets) {
            counts.push_back(reduced(set, middle, steps));
        }
        if (auto found = attempt(counts)) {
            best = std::move(found);
            beyond = middle - 1;
        } else {
            fewest = middle + 1;
        }
    }
    return best;
}

const Nomination* NominationMemory::find(const Cache& cache,
                                         const Workload& workload,
                                         const LastAssignment* last) const {
    const std::size_t queue = workload.queue->index;
    if (queue >= kept_.size() || !kept_[queue] || !may_be_kept(cache, workload)) {
        return nullptr;
    }
    const Kept& kept = *kept_[queue];
    const bool is_same = kept.offer == workload.offer &&
                         kept.version == cache.version(*workload.queue) &&
                         kept.tried == tried_by(last);
    return is_same ? &kept.nomination : nullptr;
}

void NominationMemory::keep(const Cache& cache,
                            const Workload& workload,
                            const LastAssignment* last,
                            const Nomination& nomination) {
    const bool comes_again =
        cache.queue(*workload.queue).strategy == QueueingStrategy::strict_fifo ||
        !nomination.targets.empty();
    if (comes_again && may_be_kept(cache, workload)) {
        kept_.resize(cache.queue_count());
        kept_[workload.queue->index] =
            Kept{workload.offer, cache.version(*workload.queue), tried_by(last), nomination};
    }
}

}  // namespace berth::core::kueue
