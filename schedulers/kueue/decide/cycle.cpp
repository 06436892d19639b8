#include "schedulers/kueue/decide/cycle.hpp"

#include <fmt/format.h>
#include <iterator>

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/assert.hpp"
#include "schedulers/kueue/decide/entry_order.hpp"
#include "schedulers/kueue/decide/place_assigner.hpp"

namespace berth::core::kueue {

std::string_view to_string(EntryStatus status) {
    constexpr std::array<std::string_view, 4> names{
        "notNominated", "assumed", "skipped", "preemptionGated"};
    return names[static_cast<std::size_t>(status)];
}

std::string_view to_string(RequeueReason reason) {
    constexpr std::array<std::string_view, 6> names{"",
                                                    "NoFit",
                                                    "PreemptionNoCandidates",
                                                    "PendingPreemption",
                                                    "PreemptionGated",
                                                    "FailedAfterNomination"};
    return names[static_cast<std::size_t>(reason)];
}

const FlavorResourceAmounts& Entry::usage() const {
    static const FlavorResourceAmounts nothing;
    return workload->holds_quota ? nothing : nomination->assignment.usage;
}

bool Entry::preempts() const {
    return requeue == RequeueReason::pending_preemption && mode() == AssignmentMode::preempt;
}

bool is_offered_again(const Entry& entry, const Cache& cache) {
    if (entry.workload->queue &&
        cache.queue(*entry.workload->queue).strategy == QueueingStrategy::strict_fifo) {
        return true;
    }
    const bool flavors_left =
        entry.last && std::ranges::any_of(entry.last->tried, [](const auto& set) {
            return std::ranges::any_of(set, [](const auto& tried) { return tried.second != -1; });
        });
    return flavors_left || entry.requeue == RequeueReason::failed_after_nomination ||
           entry.requeue == RequeueReason::pending_preemption;
}

Cycle::Cycle(Cache& cache, Time now, std::int64_t number, NominationMemory* memory)
    : cache_(cache),
      order_(cache.configuration(), now, cache.local_queues()),
      number_(number),
      memory_(memory) {}

std::vector<Entry> Cycle::run(std::span<const Workload* const> heads) {
    std::vector<Entry> entries;
    std::vector<Entry> others;
    for (const Workload* head : heads) {
        Entry entry = begin(*head);
        (entry.nomination ? entries : others).push_back(std::move(entry));
    }
    std::vector<Entry> done;
    cache_.tree().begin_trial();
    const std::unique_ptr<EntryOrder> order = make_entry_order(cache_, order_, std::move(entries));
    while (auto entry = order->pop()) {
        process(*entry);
        done.push_back(std::move(*entry));
    }
    cache_.tree().roll_back();
    if (cache_.topologies() != nullptr) {
        cache_.topologies()->end_cycle();
    }
    std::ranges::move(others, std::back_inserter(done));
    return done;
}

Entry Cycle::begin(const Workload& workload) {
    Entry entry;
    entry.workload = &workload;
    if (!workload.queue) {
        entry.message = fmt::format("ClusterQueue {} not found", workload.queue_name);
        entry.reason = "Misconfigured";
        return entry;
    }
    if (!cache_.is_active(*workload.queue)) {
        entry.message = fmt::format("ClusterQueue {} is inactive", workload.queue_name);
        entry.reason = "Suspended";
        return entry;
    }
    record(entry, nominate_head(workload));
    return entry;
}

Nomination Cycle::nominate_head(const Workload& workload) {
    const LastAssignment* last =
        workload.last && !is_outdated(*workload.last, cache_, *workload.queue, number_)
            ? &*workload.last
            : nullptr;
    const Nomination* known = memory_ == nullptr ? nullptr : memory_->find(cache_, workload, last);
    if (known != nullptr) {
        return *known;
    }
    Nomination found = nominate(cache_, order_, workload, last, nullptr);
    if (memory_ != nullptr) {
        memory_->keep(cache_, workload, last, found);
    }
    return found;
}

void Cycle::record(Entry& entry, Nomination nomination) const {
    const Assignment& assignment = nomination.assignment;
    entry.message = assignment.message();
    entry.last = LastAssignment{assignment.tried, assignment.generation, number_, false};
    entry.nomination = std::move(nomination);
}

/// Quota that is given back helps only within its tree of cohorts, but a free place helps every
/// workload.
QuotaNode Cycle::tree_of(const Entry& entry) const {
    return cache_.topologies() != nullptr ? QuotaNode{0}
                                          : cache_.tree().root(*entry.workload->queue);
}

std::set<WorkloadId>& Cycle::preempted(const Entry& entry) {
    return preempted_[tree_of(entry)];
}

bool Cycle::overlaps(const Entry& entry) const {
    const auto gone = preempted_.find(tree_of(entry));
    return gone != preempted_.end() &&
           std::ranges::any_of(entry.nomination->targets, [&](const Target& target) {
               return gone->second.contains(target.workload);
           });
}

Cycle::Fit Cycle::fit(const Entry& entry) {
    // Preempted workloads only make more room, so an entry that fits without their leaving needs no
    // further check.
    if (fit_now(entry) == Fit::fits) {
        return Fit::fits;
    }
    std::set<WorkloadId> gone = preempted(entry);
    for (const Target& target : entry.nomination->targets) {
        gone.insert(target.workload);
    }
    for (const WorkloadId workload : gone) {
        cache_.take_out(workload);
    }
    const Fit fit = fit_now(entry);
    for (const WorkloadId workload : gone) {
        cache_.put_back(workload);
    }
    return fit;
}

Cycle::Fit Cycle::fit_now(const Entry& entry) const {
    const bool has_quota = std::ranges::all_of(entry.usage(), [&](const auto& part) {
        return part.second <= cache_.tree().available(*entry.workload->queue, part.first);
    });
    const bool has_places =
        has_quota && places_have_room(cache_, *entry.workload, entry.nomination->assignment);
    return !has_quota ? Fit::no_quota : has_places ? Fit::fits : Fit::no_places;
}

void Cycle::update(Entry& entry) {
    if (overlaps(entry) && cache_.gate(FeatureGate::recompute_upon_overlap)) {
        const std::set<WorkloadId> gone = preempted(entry);
        for (const WorkloadId workload : gone) {
            cache_.take_out(workload);
        }
        nominate_again(entry);
        for (const WorkloadId workload : gone) {
            cache_.put_back(workload);
        }
        if (entry.mode() == AssignmentMode::fit) {
            entry.nomination->assignment.deferred = true;
        }
        return;
    }
    const auto has_places = [](const PodSetAssignment& set) { return set.places.has_value(); };
    if (cache_.gate(FeatureGate::recompute_within_cycle) &&
        std::ranges::any_of(entry.nomination->assignment.pod_sets, has_places) &&
        fit(entry) == Fit::no_places) {
        nominate_again(entry);
    }
}

void Cycle::nominate_again(Entry& entry) {
    FlavorNomination flavors;
    for (const PodSetAssignment& set : entry.nomination->assignment.pod_sets) {
        ResourceFlavors& own = flavors[set.name];
        own.clear();
        for (const auto& [resource, flavor] : set.flavors) {
            own[resource] = flavor.flavor;
        }
    }
    record(entry, nominate(cache_, order_, *entry.workload, nullptr, &flavors));
    entry.is_nominated_again = true;
}

void Cycle::process(Entry& entry) {
    update(entry);
    switch (entry.mode()) {
        case AssignmentMode::no_fit:
            entry.requeue = RequeueReason::no_fit;
            entry.reason = to_string(entry.nomination->assignment.no_fit_reason);
            return;
        case AssignmentMode::preempt:
            process_preempting(entry);
            return;
        case AssignmentMode::deferred_fit:
            entry.message =
                "Workload has overlapping preemption targets with another workload, "
                "but will fit after these preemptions complete";
            entry.reason = "WaitingForPreemptedWorkloads";
            entry.requeue = RequeueReason::pending_preemption;
            entry.last.reset();
            take(entry, entry.usage());
            return;
        case AssignmentMode::fit:
            admit(entry);
            return;
    }
}

void Cycle::process_preempting(Entry& entry) {
    const Workload& workload = *entry.workload;
    if (entry.nomination->targets.empty()) {
        entry.requeue = RequeueReason::preemption_no_candidates;
        entry.reason = "WaitingForQuota";
        const bool reclaims =
            cache_.queue(*workload.queue).preemption.reclaim_within_cohort == PreemptionPolicy::any;
        if (!reclaims ||
            (cache_.gate(FeatureGate::prioritize_preemptor_workloads) && workload.is_preemptor)) {
            reserve(entry);
        }
        return;
    }
    const bool gated = cache_.gate(FeatureGate::concurrent_admission) ||
                       cache_.gate(FeatureGate::multi_kueue_orchestrated_preemption);
    if (gated && workload.preemption_gated) {
        entry.status = EntryStatus::preemption_gated;
        entry.requeue = RequeueReason::preemption_gated;
        entry.reason = "AdmissionGated";
        entry.message = "Workload requires preemption, but it's gated";
        entry.last.reset();
        return;
    }
    admit(entry);
}

void Cycle::admit(Entry& entry) {
    if (overlaps(entry)) {
        skip(entry, "Workload has overlapping preemption targets with another workload");
        return;
    }
    if (fit(entry) != Fit::fits) {
        skip(entry, "Workload no longer fits after processing another workload");
        return;
    }
    const std::vector<Target>& targets = entry.nomination->targets;
    for (const Target& target : targets) {
        preempted(entry).insert(target.workload);
    }
    take(entry, entry.usage());
    if (entry.mode() != AssignmentMode::preempt) {
        entry.status = EntryStatus::assumed;
        return;
    }
    entry.reason = "WaitingForPreemptedWorkloads";
    entry.last.reset();
    entry.message += fmt::format(". Pending the preemption of {} workload(s)", targets.size());
    entry.requeue = RequeueReason::pending_preemption;
}

void Cycle::skip(Entry& entry, std::string_view message) {
    entry.status = EntryStatus::skipped;
    entry.message = message;
    entry.reason = "WaitingForQuota";
    entry.requeue = RequeueReason::failed_after_nomination;
    if (!cache_.gate(FeatureGate::preserve_scan_progress)) {
        entry.last.reset();
    }
}

void Cycle::reserve(const Entry& entry) {
    const QuotaNode queue = *entry.workload->queue;
    const Assignment& assignment = entry.nomination->assignment;
    FlavorResourceAmounts reserved;
    for (const auto& [what, amount] : entry.usage()) {
        const Quota quota = cache_.tree().quota(queue, what);
        const Amount used = cache_.tree().usage(queue, what);
        if (assignment.height == 0) {
            reserved[what] = std::max<Amount>(0, std::min(amount, minus(quota.nominal, used)));
        } else if (quota.borrowing_limit) {
            const Amount most = plus(quota.nominal, *quota.borrowing_limit);
            reserved[what] = std::min(amount, minus(most, used));
        } else {
            reserved[what] = amount;
        }
    }
    take(entry, reserved);
}

void Cycle::take(const Entry& entry, const FlavorResourceAmounts& quota) {
    cache_.tree().add_usage(*entry.workload->queue, quota);
    take_places(cache_, *entry.workload, entry.nomination->assignment);
}

}  // namespace berth::core::kueue
