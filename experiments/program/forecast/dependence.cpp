#include "experiments/program/forecast/dependence.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "experiments/program/forecast/normal_scores.hpp"
#include "experiments/program/support/in_threads.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

constexpr SimTime every = std::chrono::hours(12);
/// What is assumed before anything is known, with the weight of five days.
constexpr double assumed_user = 0.25;
constexpr double assumed_shape = 0.45;
constexpr double assumed_new_user = 0.5;
constexpr double assumed_weight = 10;

/// Sums of the products of pairs.
struct Pairs {
    double sum = 0;
    double count = 0;

    void remove(const Pairs& other) {
        sum -= other.sum;
        count -= other.count;
    }
};

/// The pairs of neighbouring scores that are the same in something, of those that count.
template <class Score, class Same, class Counts>
Pairs pairs_of(const std::vector<Score>& scores, Same same, Counts counts) {
    Pairs pairs;
    for (auto first = scores.begin(); first != scores.end();) {
        double sum = 0;
        double squares = 0;
        double number = 0;
        auto one = first;
        for (; one != scores.end() && same(*first, *one); ++one) {
            if (counts(*one)) {
                sum += one->score;
                squares += one->score * one->score;
                number += 1;
            }
        }
        pairs.sum += (sum * sum - squares) / 2;
        pairs.count += number * (number - 1) / 2;
        first = one;
    }
    return pairs;
}

/// A mean over moments, each of which counts once: its pairs are no independent observations.
struct Mean {
    double sum = 0;
    double weight = 0;

    explicit Mean(double assumed) : sum(assumed * assumed_weight), weight(assumed_weight) {}
    void add(const Pairs& pairs) {
        if (pairs.count > 0) {
            sum += pairs.sum / pairs.count;
            weight += 1;
        }
    }
    [[nodiscard]] double value() const { return sum / weight; }
};

}  // namespace

PastScores::PastScores(const Past& past, SimTime until, unsigned threads) {
    if (past.jobs().empty() || until <= past.first() + every) {
        return;
    }
    const SimTime span = until - past.first();
    moments_.resize(static_cast<std::size_t>((span - SimTime(1)) / every));
    in_threads(threads, moments_.size(), [&](std::size_t i) {
        moments_[i] = look(past, past.first() + static_cast<std::int64_t>(i + 1) * every);
    });
    std::erase_if(moments_, [](const Moment& moment) { return moment.scores.size() < 2; });
}

PastScores::Moment PastScores::look(const Past& past, SimTime at) {
    Moment moment{at, {}};
    LearnedRunTimes learned(past, at, LearnFrom::alike);
    if (learned.ended() == 0) {
        return moment;
    }
    for (const PastJob& job : past.jobs()) {
        if (!job.has_come(at)) {
            break;
        }
        if (job.is_over(at) || !job.start || !job.end) {
            continue;
        }
        const double ran = job.runs(at) ? job.ratio(job.ran(at)) : 0;
        const double ratio = job.ratio(*job.end - *job.start);
        const RunTimeCurve& curve = learned.curve(job);
        const double rest = curve.longer_than(ran);
        if (rest <= 0) {
            continue;  // nothing was expected of it
        }
        const double below = 1 - (curve.at_least(ratio) + curve.longer_than(ratio)) / 2 / rest;
        moment.scores.push_back({NormalScores::table().score(below),
                                 job.user,
                                 job.shape,
                                 SimTime(*job.end),
                                 learned.ended_of(job.user) == 0});
    }
    std::ranges::stable_sort(
        moment.scores, {}, [](const Score& score) { return std::pair(score.user, score.shape); });
    return moment;
}

Dependence PastScores::measured(SimTime now) const {
    Mean of_user(assumed_user);
    Mean of_shape(assumed_user + assumed_shape * (1 - assumed_user));
    Mean of_new_user(assumed_new_user);
    Dependence out;
    for (const Moment& moment : moments_) {
        if (moment.at >= now) {
            break;
        }
        constexpr double nearly_all = 0.95;
        const auto over = std::ranges::count_if(
            moment.scores, [&](const Score& score) { return score.end <= now; });
        if (static_cast<double>(over) < nearly_all * static_cast<double>(moment.scores.size())) {
            continue;
        }
        const auto of_a_user = [](const Score& a, const Score& b) { return a.user == b.user; };
        const auto alike = [](const Score& a, const Score& b) {
            return a.user == b.user && a.shape == b.shape;
        };
        const auto is_over = [&](const Score& score) { return score.end <= now; };
        const auto is_over_and_new = [&](const Score& score) {
            return score.end <= now && score.is_new;
        };
        Pairs same_user = pairs_of(moment.scores, of_a_user, is_over);
        const Pairs same_shape = pairs_of(moment.scores, alike, is_over);
        same_user.remove(same_shape);
        of_user.add(same_user);
        of_shape.add(same_shape);
        of_new_user.add(pairs_of(moment.scores, of_a_user, is_over_and_new));
        ++out.moments;
    }
    constexpr double most = 0.95;
    out.user = std::clamp(of_user.value(), 0.0, most);
    out.new_user = std::clamp(of_new_user.value(), out.user, most);
    out.shape = std::clamp((of_shape.value() - out.user) / (1 - out.user), 0.0, most);
    return out;
}

}  // namespace berth::experiments
