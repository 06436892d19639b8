#include "schedulers/kueue/decide/refusal.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace berth::core::kueue {
namespace {

bool has_quota(const Entry& entry, const Cache& cache) {
    return std::ranges::all_of(entry.usage(), [&](const auto& part) {
        return part.second <= cache.tree().available(*entry.workload->queue, part.first);
    });
}

Lack lack_without_fit(NoFitReason reason) {
    switch (reason) {
        case NoFitReason::topology_placement_failed:
            return Lack::places;
        case NoFitReason::exceeds_max_quota:
            return Lack::quota_for_good;
        case NoFitReason::no_matching_flavor:
            return Lack::flavor;
        case NoFitReason::none:
        case NoFitReason::waiting_for_quota:
            break;
    }
    return Lack::quota;
}

bool is_refused(const Entry& entry, const Cache& cache) {
    const bool found_nothing = entry.requeue == RequeueReason::no_fit ||
                               entry.requeue == RequeueReason::preemption_no_candidates;
    return entry.nomination && found_nothing && !is_offered_again(entry, cache);
}

/// What follows the lacking amount in a reason.
constexpr std::string_view more_needed = " more needed";

std::string amount_lacking(const QuotaCheck& check, const Names& names) {
    return format_amount(names[check.what.resource], minus(check.amount, check.available));
}

/// Whether other workloads would have to be preempted for at most one resource of a flavor.
bool lacks_at_most_one(const Assignment& assignment) {
    const auto& flavors = assignment.pod_sets.front().flavors;
    return std::ranges::count_if(flavors, [](const auto& flavor) {
               return flavor.second.mode == AssignmentMode::preempt;
           }) <= 1;
}

/// Whether a workload was refused, and the refusal follows from checks of quota alone.
bool is_refused_by_checks(const Entry& entry, const Cache& cache) {
    const Workload& workload = *entry.workload;
    return is_refused(entry, cache) && cache.topologies() == nullptr &&
           cache.local_queues() == nullptr && !entry.is_nominated_again &&
           workload.pod_sets.size() == 1 && !workload.may_shrink() &&
           entry.nomination->assignment.pod_sets.size() == 1 &&
           lacks_at_most_one(entry.nomination->assignment) && begins_with_first_flavor(workload);
}

/// Whether nominations that have these checks in the same places are alike.
bool are_alike(const QuotaCheck& a, const QuotaCheck& b) {
    return a.what == b.what && a.amount == b.amount && a.most == b.most && a.fit == b.fit &&
           a.height == b.height;
}

}  // namespace

Lack lack_of(const Entry& entry, const Cache& cache) {
    if (!entry.nomination) {
        return Lack::active_queue;
    }
    switch (entry.requeue) {
        case RequeueReason::generic:
            return Lack::none;
        case RequeueReason::no_fit:
            return lack_without_fit(entry.nomination->assignment.no_fit_reason);
        case RequeueReason::preemption_no_candidates:
            // Only a flavor with a topology can have quota and still not simply be taken.
            return has_quota(entry, cache) ? Lack::places : Lack::quota;
        case RequeueReason::pending_preemption:
            return Lack::leaving;
        case RequeueReason::preemption_gated:
        case RequeueReason::failed_after_nomination:
            break;
    }
    return Lack::turn;
}

bool begins_with_first_flavor(const Workload& workload) {
    return !workload.last || std::ranges::all_of(workload.last->tried, [](const auto& set) {
        return std::ranges::all_of(set, [](const auto& tried) { return tried.second == -1; });
    });
}

std::optional<Refusal> Refusal::of(const Entry& entry, const Cache& cache) {
    if (!is_refused_by_checks(entry, cache)) {
        return std::nullopt;
    }
    const Assignment& assignment = entry.nomination->assignment;
    Refusal refusal;
    refusal.checks_ = assignment.checks;
    refusal.must_be_hopeless_ =
        assignment.mode() == AssignmentMode::preempt && assignment.usage.size() > 1;
    refusal.write_pieces(assignment.pod_sets.front(), cache.names());
    return refusal;
}

void Refusal::renew(std::optional<Refusal>& last, const Entry& entry, const Cache& cache) {
    if (last && is_refused_by_checks(entry, cache) &&
        std::ranges::equal(last->checks_, entry.nomination->assignment.checks, are_alike)) {
        last->checks_ = entry.nomination->assignment.checks;
    } else {
        last = of(entry, cache);
    }
}

/// A group of resources that found a flavor does not mention the flavors that it tried before, so a
/// check need not appear in the message.
void Refusal::write_pieces(const PodSetAssignment& set, const Names& names) {
    const std::string message = unassigned_message(set.name, set.reasons);
    std::map<std::size_t, std::size_t> lacks;  // by position in the message, the check
    for (std::size_t i = 0; i < checks_.size(); ++i) {
        const std::string reason = unused_quota_reason(checks_[i], names);
        if (std::ranges::find(set.reasons, reason) != set.reasons.end()) {
            const std::size_t before =
                amount_lacking(checks_[i], names).size() + more_needed.size();
            lacks.emplace(message.find(reason) + reason.size() - before, i);
        }
    }
    std::size_t written = 0;
    for (const auto& [at, check] : lacks) {
        pieces_.push_back({message.substr(written, at - written), check});
        written = at + amount_lacking(checks_[check], names).size();
    }
    end_ = message.substr(written);
}

bool Refusal::holds(Cache& cache,
                    const WorkloadOrder& order,
                    const Workload& workload,
                    HopelessRequests& hopeless) {
    return cache.are_written() && begins_with_first_flavor(workload) &&
           std::ranges::all_of(checks_, [&](QuotaCheck& before) {
               QuotaCheck now =
                   check_quota(cache, order, workload, before.what, before.amount, &hopeless);
               const bool is_proven =
                   !must_be_hopeless_ || now.hopeless || !now.asked_for_targets();
               if (!are_alike(now, before) || !is_proven) {
                   return false;
               }
               before = std::move(now);
               return true;
           });
}

std::string Refusal::message(const Names& names) const {
    std::string message;
    for (const Piece& piece : pieces_) {
        message += piece.text;
        message += amount_lacking(checks_[piece.check], names);
    }
    return message + end_;
}

}  // namespace berth::core::kueue
