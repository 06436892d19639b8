#include "experiments/program/plan/search.hpp"

#include <algorithm>
#include <utility>

namespace berth::experiments {

PlanSearch::PlanSearch(const PlanChoices& choices,
                       std::vector<report::SweepTarget> bounds,
                       std::vector<std::int64_t> looks,
                       std::optional<double> confidence,
                       Measure measure)
    : choices_(choices),
      bounds_(std::move(bounds)),
      looks_(std::move(looks)),
      test_(confidence, choices.size(), bounds_.size()),
      measure_(std::move(measure)),
      more_helps_(choices.any_monotone()) {
    out_.choices.resize(choices.size());
    for (TriedChoice& tried : out_.choices) {
        tried.metrics.resize(bounds_.size());
    }
}

PlanOutcome PlanSearch::run() {
    while (true) {
        auto choice = next();
        if (!choice) {
            choice = least_that_meets() ? untried_neighbour() : other_end();
        }
        if (!choice) {
            break;
        }
        if (!look_at(*choice)) {
            out_.interrupted = true;
            break;
        }
        if (more_helps_ && (out_.contradiction = contradiction())) {
            more_helps_ = false;
        }
    }
    out_.answer = least_that_meets();
    return std::move(out_);
}

bool PlanSearch::look_at(std::size_t choice) {
    TriedChoice& tried = out_.choices[choice];
    const auto found = measure_(choice, tried.looks);
    if (!found) {
        return false;
    }
    tried.replications = static_cast<std::size_t>(looks_[tried.looks]);
    ++tried.looks;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
        MetricValues& all = tried.metrics[i];
        const MetricValues& more = (*found)[i];
        all.values.insert(all.values.end(), more.values.begin(), more.values.end());
        all.reached = all.reached && more.reached;
    }
    judge(tried);
    return true;
}

void PlanSearch::judge(TriedChoice& tried) const {
    tried.estimates.clear();
    tried.standings.clear();
    bool hopeless = tried.looks == looks_.size();
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
        const MetricValues& metric = tried.metrics[i];
        const auto& [name, at_most, bound] = bounds_[i];
        tried.estimates.push_back(test_.estimate(metric.values, tried.looks));
        Standing standing = standing_of(tried.estimates.back(), bound, at_most);
        if (standing == Standing::meets && !metric.reached) {
            standing = Standing::in_doubt;  // only a lower bound of the metric keeps the bound
            hopeless = true;
        }
        tried.standings.push_back(standing);
        hopeless =
            hopeless || (standing == Standing::in_doubt &&
                         test_.is_hopeless(metric.values, bound, looks_.size(), looks_.back()));
    }
    const auto any = [&](Standing one) {
        return std::ranges::find(tried.standings, one) != tried.standings.end();
    };
    tried.standing = any(Standing::misses)     ? Standing::misses
                     : any(Standing::in_doubt) ? Standing::in_doubt
                                               : Standing::meets;
    tried.given_up = tried.standing == Standing::in_doubt && hopeless;
}

std::optional<std::size_t> PlanSearch::least_that_meets() const {
    const auto at = std::ranges::find(out_.choices, Standing::meets, &TriedChoice::standing);
    return at == out_.choices.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(at - out_.choices.begin()));
}

/// Whether a choice need not be tried, because one with more misses a bound or stays in doubt or,
/// with `doubts_count`, is in doubt for now. Doubts about what costs more than the best known
/// choice are not looked into, and leave nothing out.
bool PlanSearch::is_left_out(std::size_t choice, bool doubts_count) const {
    const std::size_t end = least_that_meets().value_or(out_.choices.size());
    for (std::size_t other = 0; more_helps_ && other < out_.choices.size(); ++other) {
        const TriedChoice& tried = out_.choices[other];
        const bool doubted =
            tried.standing == Standing::in_doubt && other < end && (doubts_count || tried.given_up);
        const bool missing = tried.standing == Standing::misses || doubted;
        if (missing && other != choice && choices_.has_at_least(other, choice)) {
            return true;
        }
    }
    return false;
}

/// The choice to look at next; nothing if the least costly one is found. Those that were not tried
/// come first. Of several, it is the one in the middle if more helps, which halves them whatever is
/// found, and otherwise the least costly.
std::optional<std::size_t> PlanSearch::next() const {
    std::vector<std::size_t> untried;
    std::vector<std::size_t> doubted;
    const std::size_t end = least_that_meets().value_or(out_.choices.size());
    for (std::size_t choice = 0; choice < end; ++choice) {
        const TriedChoice& tried = out_.choices[choice];
        if (tried.standing == Standing::untried && !is_left_out(choice, true)) {
            untried.push_back(choice);
        } else if (tried.standing == Standing::in_doubt && !tried.given_up &&
                   !is_left_out(choice, false)) {
            doubted.push_back(choice);
        }
    }
    const std::vector<std::size_t>& from = untried.empty() ? doubted : untried;
    if (from.empty()) {
        return std::nullopt;
    }
    return more_helps_ ? from[from.size() / 2] : from.front();
}

std::optional<std::size_t> PlanSearch::untried_neighbour() const {
    const auto answer = least_that_meets();
    if (!answer || !more_helps_) {
        return std::nullopt;
    }
    for (const std::size_t other : choices_.neighbours(*answer)) {
        if (out_.choices[other].standing == Standing::untried) {
            return other;
        }
    }
    return std::nullopt;
}

/// The least costly choice while it may meet the bounds: where less helps, it is the one that does.
std::optional<std::size_t> PlanSearch::other_end() const {
    const TriedChoice& least = out_.choices.front();
    const bool is_open = least.standing == Standing::untried ||
                         (least.standing == Standing::in_doubt && !least.given_up);
    return more_helps_ && is_open ? std::optional<std::size_t>(0) : std::nullopt;
}

std::optional<PlanOutcome::Contradiction> PlanSearch::contradiction() const {
    for (std::size_t less = 0; less < out_.choices.size(); ++less) {
        if (out_.choices[less].standing != Standing::meets) {
            continue;
        }
        for (std::size_t more = 0; more < out_.choices.size(); ++more) {
            if (out_.choices[more].standing == Standing::misses &&
                choices_.has_at_least(more, less)) {
                return PlanOutcome::Contradiction{less, more};
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::experiments
