#include "schedulers/slurm/requests/end_times.hpp"

#include <algorithm>

namespace berth::experiments {

EndTimes::EndTimes(const SlurmRequest& request, Milliseconds launch)
    : launch_(launch),
      tick_(std::max<Milliseconds>(1050, request.clocks.batch_sched_delay_s * 1000 + 200)) {
    for (const RecordedPass& pass : request.passes) {
        if (pass.kind != Pass::backfill) {
            passes_.push_back(pass.at);
        }
    }
    for (const AskedJob& job : request.jobs) {
        submissions_.push_back(job.submit);
    }
    last_pass_ = passes_.empty() ? 0 : passes_.front() - 5000;
}

Milliseconds EndTimes::of(Milliseconds start, Milliseconds sleep) {
    const Milliseconds likely = start + sleep + launch_;
    const Milliseconds least = earliest(start, sleep);
    std::optional<Milliseconds> best;
    const auto cost = [&](Milliseconds end) { return end > likely ? end - likely : likely - end; };
    for (auto pass = std::ranges::lower_bound(passes_, least); pass != passes_.end(); ++pass) {
        const Milliseconds low = std::max(least, *pass - tick_);
        const Milliseconds end = std::min(std::max(likely, low), *pass);
        if (!best || cost(end) < cost(*best)) {
            best = end;
        }
        if (low > likely) {
            break;
        }
    }
    misfit_ += best ? cost(*best) : 0;
    return best.value_or(likely);
}

bool EndTimes::was_asked_for(Milliseconds at, Milliseconds& before) {
    before = last_pass_;
    last_pass_ = at;
    const auto first = std::ranges::upper_bound(submissions_, before - 20);
    return first != submissions_.end() && *first <= at;
}

}  // namespace berth::experiments
