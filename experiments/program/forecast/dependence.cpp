#include "experiments/program/forecast/dependence.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/program/forecast/normal_scores.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

constexpr SimTime every = std::chrono::hours(12);
/// What is assumed before anything is known, with the weight of five days.
constexpr double assumed_user = 0.25;
constexpr double assumed_shape = 0.45;
constexpr double assumed_weight = 10;

/// Sums of the products of pairs.
struct Pairs {
    double sum = 0;
    double count = 0;

    void add_all_of(double scores, double squares, double number) {
        sum += (scores * scores - squares) / 2;
        count += number * (number - 1) / 2;
    }
    void remove(const Pairs& other) {
        sum -= other.sum;
        count -= other.count;
    }
};

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

PastScores::PastScores(const Past& past, SimTime until) {
    if (past.jobs().empty()) {
        return;
    }
    for (SimTime at = past.first() + every; at < until; at += every) {
        Moment moment = look(past, at);
        if (moment.scores.size() > 1) {
            moments_.push_back(std::move(moment));
        }
    }
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
        moment.scores.push_back(
            {NormalScores::table().score(below), job.user, job.shape, SimTime(*job.end)});
    }
    std::ranges::stable_sort(
        moment.scores, {}, [](const Score& score) { return std::pair(score.user, score.shape); });
    return moment;
}

Dependence PastScores::measured(SimTime now) const {
    Mean of_user(assumed_user);
    Mean of_shape(assumed_user + assumed_shape * (1 - assumed_user));
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
        Pairs same_user;
        Pairs same_shape;
        const auto sum = [&](auto same, Pairs& pairs) {
            for (auto first = moment.scores.begin(); first != moment.scores.end();) {
                double scores = 0;
                double squares = 0;
                double number = 0;
                auto one = first;
                for (; one != moment.scores.end() && same(*first, *one); ++one) {
                    if (one->end <= now) {
                        scores += one->score;
                        squares += one->score * one->score;
                        number += 1;
                    }
                }
                pairs.add_all_of(scores, squares, number);
                first = one;
            }
        };
        sum([](const Score& a, const Score& b) { return a.user == b.user; }, same_user);
        sum([](const Score& a, const Score& b) { return a.user == b.user && a.shape == b.shape; },
            same_shape);
        same_user.remove(same_shape);
        of_user.add(same_user);
        of_shape.add(same_shape);
        ++out.moments;
    }
    constexpr double most = 0.95;
    out.user = std::clamp(of_user.value(), 0.0, most);
    out.shape = std::clamp((of_shape.value() - out.user) / (1 - out.user), 0.0, most);
    return out;
}

}  // namespace berth::experiments
