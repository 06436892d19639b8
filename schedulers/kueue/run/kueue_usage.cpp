#include <algorithm>
#include <utility>

#include "schedulers/kueue/run/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

void KueueAdmission::resized(JobId id, core::Members /*more*/) {
    if (known(id).held) {
        reclaim_pods(id, actions_.job(id).job().size);
    }
}

void KueueAdmission::reclaim_pods(JobId id, core::Members size) {
    Known& job = known(id);
    if (size < job.members) {
        record_hold(id, QuotaEnd::reduced);
    }
    const kueue::ResourceAmounts before = by_resource(cache_.usage(*job.held));
    job.members = std::min(job.members, size);
    cache_.reclaim_pods(*job.held, 0, job.members);
    if (job.shares) {
        kueue::ResourceAmounts given_back = before;
        for (const auto& [resource, amount] : by_resource(cache_.usage(*job.held))) {
            given_back[resource] = kueue::minus(given_back[resource], amount);
        }
        ledger_->release(*job.shares, given_back, actions_.now());
    }
    cycle_wanted_ = true;
    retry_later(*job.queue);
}

/// A job that waits for quota is offered again with its new request.
void KueueAdmission::asks_for_more(JobId id, core::Members more) {
    const core::Members size = actions_.job(id).job().size + more;
    if (known(id).held) {
        reclaim_pods(id, size);
    }
    const kueue::PendingId pending{id.index};
    if (!queues_.waits(pending)) {
        return;
    }
    kueue::Workload workload = queues_.remove(pending);
    KueueWorkloads::set_size(workload, size);
    queues_.add(pending, std::move(workload));
    cycle_wanted_ = true;
}

void KueueAdmission::count_usage(JobId id, const kueue::Workload& asked) {
    const Known& job = known(id);
    if (!job.shares) {
        return;
    }
    ledger_->admit(*job.shares,
                   by_resource(cache_.usage(*job.held)),
                   entry_requests(asked, cache_),
                   actions_.now());
}

void KueueAdmission::end_usage(JobId id, const kueue::Workload& gone) {
    if (const auto shares = known(id).shares) {
        ledger_->release(*shares, by_resource(gone.usage()), actions_.now());
    }
}

void KueueAdmission::await_sample() {
    const bool matters = ledger_ && !holders_.empty() && queues_.has_rivals();
    if (matters && !sample_at_) {
        ledger_->go_to(actions_.now());
        sample_at_ = *ledger_->next_sample();
        remember({*sample_at_, Task::Kind::sample, 0});
    } else if (!matters && sample_at_) {
        tasks_.erase({*sample_at_, Task::Kind::sample, 0});
        sample_at_.reset();
        arm();
    }
}

}  // namespace berth::sim
