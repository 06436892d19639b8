#include "schedulers/slurm/requests/end_times.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "sim/clock/random.hpp"

namespace berth::experiments {

EndTimes::EndTimes(const SlurmRequest& request)
    : tick_(std::max<Milliseconds>(1050, request.clocks.batch_sched_delay_s * 1000 + 200)) {
    for (const RecordedPass& pass : request.passes) {
        if (pass.kind != Pass::backfill) {
            passes_.push_back(pass.at);
        }
    }
    for (const AskedJob& job : request.jobs) {
        submissions_.push_back(job.submit);
    }
}

bool EndTimes::is_followed(Milliseconds end) const {
    const auto pass = std::ranges::lower_bound(passes_, end);
    return pass != passes_.end() && *pass - tick_ <= end;
}

Milliseconds EndTimes::nearest_followed(Milliseconds end, Milliseconds least) const {
    std::optional<Milliseconds> best;
    for (auto pass = std::ranges::lower_bound(passes_, least); pass != passes_.end(); ++pass) {
        const Milliseconds low = std::max(least, *pass - tick_);
        const Milliseconds near = std::clamp(end, low, *pass);
        if (!best || std::abs(near - end) < std::abs(*best - end)) {
            best = near;
        }
        if (low > end) {
            break;
        }
    }
    return best.value_or(end);
}

bool EndTimes::was_asked_for(Milliseconds before, Milliseconds at) const {
    // A submission that came a moment before a pass may be too late for it.
    constexpr Milliseconds moment = 20;
    const auto first = std::ranges::upper_bound(submissions_, before - moment);
    return first != submissions_.end() && *first <= at;
}

Milliseconds EndTimes::pass_before(Milliseconds at) const {
    constexpr Milliseconds long_before = 5000;
    const auto pass = std::ranges::lower_bound(passes_, at);
    return pass == passes_.begin() ? at - long_before : *(pass - 1);
}

Milliseconds LaunchTimes::uniform() {
    return static_cast<Milliseconds>((sim::mix(key_, ++drawn_) >> 32) * 1000 >> 32);
}

Milliseconds LaunchTimes::draw() {
    constexpr Milliseconds longest = 2600;
    if (uniform() < 30) {
        is_busy_ = !is_busy_;
    }
    if (uniform() < 40) {
        return 40 + uniform() * longest / 1000;
    }
    const Milliseconds share = uniform();
    if (is_busy_) {
        return 500 + (share + uniform()) * 45 / 100;
    }
    const Milliseconds square = share * share / 1000;
    return 50 + share * 6 / 100 + square * square / 1000 * square * 15 / 100'000;
}

}  // namespace berth::experiments
