#include "experiments/program/forecast/learned_run_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace berth::experiments {
namespace {

using sim::SimTime;

// The largest sums of weights of the four groups.
constexpr double most_of_all = 2;
constexpr double most_of_user = 3;
constexpr double most_of_limit = 4;
constexpr double most_of_size = 20;

/// Weights halve every ten jobs.
double weight_of_rank(std::size_t rank) {
    constexpr std::array<double, 10> part{1,
                                          0.9330329915368074,
                                          0.8705505632961241,
                                          0.8122523963562356,
                                          0.757858283255199,
                                          0.7071067811865476,
                                          0.6597539553864471,
                                          0.6155722066724582,
                                          0.5743491774985175,
                                          0.5358867312681466};
    return std::ldexp(part[rank % part.size()], -static_cast<int>(rank / part.size()));
}

/// The smaller limit divided by the larger one; 0 if only one of the jobs has a limit.
double nearness(const PastJob& a, const PastJob& b) {
    if (a.has_limit != b.has_limit) {
        return 0;
    }
    const auto [less, more] = std::minmax(a.limit, b.limit);
    return static_cast<double>(less.count()) / static_cast<double>(more.count());
}

bool has_nearly_the_limit(const PastJob& a, const PastJob& b) {
    return nearness(a, b) >= 1 / 1.05;
}

bool has_the_size(const PastJob& a, const PastJob& b) {
    return a.job.size == b.job.size && a.job.demand == b.job.demand;
}

}  // namespace

LearnedRunTimes::LearnedRunTimes(const Past& past, SimTime now, LearnFrom from) : from_(from) {
    for (const PastJob& job : past.jobs()) {
        if (!job.has_come(now)) {
            break;
        }
        if (job.is_over(now) && job.finished && job.start) {
            seen_.push_back({job.ratio(*job.end - *job.start), true, &job, *job.start});
            ++ended_;
            ++ended_of_[job.user];
        } else if (const auto since = job.runs_since(now)) {
            seen_.push_back({job.ratio(now - *since), false, &job, *since});
        }
    }
    std::ranges::stable_sort(seen_, [](const Seen& a, const Seen& b) {
        return a.ratio < b.ratio || (a.ratio == b.ratio && a.ended && !b.ended);
    });
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        newest_[seen_[i].job->user].push_back(i);
    }
    const auto age = [&](std::size_t i) {
        const Seen& seen = seen_[i];
        const SimTime end = seen.ended ? SimTime(*seen.job->end) : sim::never;
        return std::pair(-end.count(), -seen.start.count());
    };
    for (auto& [user, indexes] : newest_) {
        std::ranges::stable_sort(indexes, {}, age);
    }
}

std::size_t LearnedRunTimes::ended_of(std::uint32_t user) const {
    const auto found = ended_of_.find(user);
    return found == ended_of_.end() ? 0 : found->second;
}

const RunTimeCurve& LearnedRunTimes::curve(const PastJob& job) {
    const auto key = from_ == LearnFrom::all ? std::pair(0U, 0U) : std::pair(job.user, job.shape);
    auto found = curves_.find(key);
    if (found == curves_.end()) {
        found = curves_.emplace(key, make(job)).first;
    }
    return found->second;
}

RunTimeCurve LearnedRunTimes::make(const PastJob& job) const {
    std::vector<SeenRatio> seen(seen_.size());
    const bool none_is_near =
        std::ranges::none_of(seen_, [&](const Seen& one) { return nearness(job, *one.job) > 0; });
    const bool all_alike = from_ == LearnFrom::all || none_is_near;
    double sum = 0;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        const double weight = all_alike ? 1 : nearness(job, *seen_[i].job);
        seen[i] = {seen_[i].ratio, seen_[i].ended, weight};
        sum += weight;
    }
    if (from_ == LearnFrom::alike) {
        for (SeenRatio& one : seen) {
            one.weight *= sum > most_of_all ? most_of_all / sum : 1;
        }
        add_newest(job, seen);
    }
    return RunTimeCurve(seen);
}

void LearnedRunTimes::add_newest(const PastJob& job, std::vector<SeenRatio>& seen) const {
    const auto own = newest_.find(job.user);
    if (own == newest_.end()) {
        return;
    }
    const auto add = [&](double most, auto belongs) {
        std::vector<std::pair<std::size_t, double>> weights;
        double sum = 0;
        for (const std::size_t i : own->second) {
            if (belongs(*seen_[i].job)) {
                weights.emplace_back(i, weight_of_rank(weights.size()));
                sum += weights.back().second;
            }
        }
        for (const auto& [i, weight] : weights) {
            seen[i].weight += sum > most ? weight * most / sum : weight;
        }
    };
    add(most_of_user, [](const PastJob&) { return true; });
    add(most_of_limit, [&](const PastJob& one) { return has_nearly_the_limit(one, job); });
    add(most_of_size, [&](const PastJob& one) {
        return has_nearly_the_limit(one, job) && has_the_size(one, job);
    });
}

}  // namespace berth::experiments
