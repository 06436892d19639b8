#include "experiments/program/plan/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "experiments/program/results/read_summary.hpp"

namespace berth::experiments {
namespace {

/// The choices that were tried for which a condition holds, in words: `6 racks`, `6 racks and 2
/// more`; empty if there are none.
template <class Holds>
std::string choices_with(const PlanAnswer& answer, Holds holds) {
    std::vector<std::size_t> found = tried_choices(answer);
    std::erase_if(
        found, [&](std::size_t choice) { return !holds(choice, answer.outcome.choices[choice]); });
    if (found.empty()) {
        return "";
    }
    return answer.choices[found.front()].name +
           (found.size() == 1 ? "" : fmt::format(" and {} more", found.size() - 1));
}

/// Whether a requirement's metric has the same values at two choices, as far as both have them.
bool equal_values(const MetricValues& one, const MetricValues& other) {
    const std::size_t both = std::min(one.values.size(), other.values.size());
    return both > 0 && std::equal(one.values.begin(),
                                  one.values.begin() + static_cast<std::ptrdiff_t>(both),
                                  other.values.begin());
}

void add_equal_values(const PlanAnswer& answer, std::vector<std::string>& out) {
    const std::vector<std::size_t> tried = tried_choices(answer);
    for (std::size_t i = 0; tried.size() > 1 && i < answer.plan.requirements.size(); ++i) {
        const auto metric_at = [&](std::size_t choice) -> const MetricValues& {
            return answer.outcome.choices[choice].metrics[i];
        };
        if (std::ranges::all_of(tried, [&](std::size_t choice) {
                return equal_values(metric_at(tried.front()), metric_at(choice));
            })) {
            out.push_back(
                fmt::format("{} has the same values at all {} choices that were tried, and may not "
                            "depend on the choice: expected a metric that the choice changes, or "
                            "other values under choose",
                            answer.plan.requirements[i].target.metric,
                            tried.size()));
        }
    }
}

void add_missing_values(const PlanAnswer& answer, std::vector<std::string>& out) {
    for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
        const std::string none =
            choices_with(answer, [&](std::size_t /*choice*/, const TriedChoice& tried) {
                return tried.metrics[i].values.empty();
            });
        const std::string some =
            choices_with(answer, [&](std::size_t /*choice*/, const TriedChoice& tried) {
                const std::size_t count = tried.metrics[i].values.size();
                return count > 0 && count < tried.replications;
            });
        const std::string& metric = answer.plan.requirements[i].target.metric;
        if (!none.empty()) {
            out.push_back(
                fmt::format("{} has no value in any replication of {}: expected jobs of "
                            "this kind that start, or another metric",
                            metric,
                            none));
        }
        if (!some.empty()) {
            out.push_back(
                fmt::format("{} has no value in some replications of {}, and its mean is "
                            "over the others: expected runs so long that each has such "
                            "jobs",
                            metric,
                            some));
        }
    }
}

/// The percentile in a metric of waits, as a share: 0.95 for `job_wait_s_p95[team-a]`; 0 if it is
/// none.
double percentile_of(const std::string& metric) {
    const std::string name = metric.substr(0, metric.find('['));
    for (const auto& [ending, share] :
         {std::pair<std::string_view, double>{"_p50", 0.5}, {"_p95", 0.95}, {"_p99", 0.99}}) {
        if (name.ends_with(ending)) {
            return share;
        }
    }
    return 0;
}

/// Warns of percentiles beyond which fewer than three of a replication's pods lie: no number of
/// replications shows what is beyond them.
void add_few_jobs(const PlanPoints& points,
                  const PlanAnswer& answer,
                  std::vector<std::string>& out) {
    constexpr double beyond_min = 3;
    for (const PlanRequirement& requirement : answer.plan.requirements) {
        const double share = percentile_of(requirement.target.metric);
        const double needed = beyond_min / (1 - share);
        double fewest = needed;
        const std::string short_of =
            choices_with(answer, [&](std::size_t choice, const TriedChoice& /*tried*/) {
                const double pods = points.pods_each(choice);
                fewest = std::min(fewest, pods);
                return share > 0 && pods < needed;
            });
        if (!short_of.empty()) {
            out.push_back(fmt::format(
                "few jobs: a replication has {:.0f} pods ({}), and {} needs {:.0f}, so that three "
                "lie "
                "beyond it: make the run {:.0f} times as long, or use a lower percentile",
                fewest,
                short_of,
                requirement.target.metric,
                needed,
                std::ceil(needed / std::max(fewest, 1.0))));
        }
    }
}

void add_contradiction(const PlanAnswer& answer, std::vector<std::string>& out) {
    if (const auto& found = answer.outcome.contradiction) {
        out.push_back(
            fmt::format("more does not always help: what is required is met by {}, and missed by "
                        "{}; so every choice that costs less than the answer was tried, as with "
                        "monotone: false",
                        answer.choices[found->meets].name,
                        answer.choices[found->misses].name));
    }
}

/// Whether a choice stays in doubt because of its replications, which more of them may change.
bool needs_replications(const TriedChoice& tried) {
    for (std::size_t i = 0; i < tried.standings.size(); ++i) {
        if (tried.standings[i] == Standing::in_doubt && tried.metrics[i].reached) {
            return true;
        }
    }
    return false;
}

void add_doubts(const PlanAnswer& answer, std::vector<std::string>& out) {
    const auto is_doubted = [&](std::size_t choice, const TriedChoice& tried) {
        return tried.given_up && (!answer.outcome.answer || choice < *answer.outcome.answer);
    };
    std::size_t most = 0;
    const std::string doubted =
        choices_with(answer, [&](std::size_t choice, const TriedChoice& tried) {
            const bool found = is_doubted(choice, tried) && needs_replications(tried);
            most = found ? std::max(most, tried.replications) : most;
            return found;
        });
    const std::string open =
        choices_with(answer, [&](std::size_t choice, const TriedChoice& tried) {
            return is_doubted(choice, tried) && !needs_replications(tried);
        });
    if (!doubted.empty() && !answer.plan.replications_are_equal) {
        out.push_back(fmt::format(
            "in doubt after {} replications, and counted as missing what is required: {}: "
            "--replications {} or longer runs may decide it",
            most,
            doubted,
            answer.plan.looks.back() * 4));
    }
    if (!open.empty()) {
        out.push_back(
            fmt::format("counted as missing what is required: {}: when the runs end, so many jobs "
                        "wait that only a lower bound is known: expected jobs that fit, or a later "
                        "until",
                        open));
    }
}

/// Says what was not tried, if that may hide an answer.
void add_untried(const PlanAnswer& answer, std::vector<std::string>& out) {
    const std::size_t untried = answer.choices.size() - tried_choices(answer).size();
    if (!answer.outcome.answer && untried > 0) {
        out.push_back(fmt::format(
            "{} not tried, because choices with more miss what is required, and more is taken to "
            "help: if it does not, monotone: false under choose tries all",
            untried == 1 ? "one choice was" : fmt::format("{} choices were", untried)));
    }
}

/// Adds what the runs of the answer, or of the nearest choice, say of their inputs.
void add_warnings_of_run(const PlanPoints& points,
                         const PlanAnswer& answer,
                         std::vector<std::string>& out) {
    const std::size_t shown =
        answer.outcome.answer ? *answer.outcome.answer : nearest_choice(answer);
    for (const std::string& warning : report::warnings_of_run(points.folder(shown, 0))) {
        if (!report::is_about_means(warning)) {
            out.push_back(fmt::format("{}: {}", answer.choices[shown].name, warning));
        }
    }
}

}  // namespace

void add_warnings(const PlanPoints& points, PlanAnswer& answer) {
    std::vector<std::string> found;
    add_warnings_of_run(points, answer, found);
    add_equal_values(answer, found);
    add_missing_values(answer, found);
    add_few_jobs(points, answer, found);
    add_contradiction(answer, found);
    add_untried(answer, found);
    add_doubts(answer, found);
    std::vector<std::filesystem::path> folders;
    std::vector<std::string> names;
    for (const std::size_t choice : tried_choices(answer)) {
        const std::size_t last = answer.outcome.choices[choice].looks - 1;
        folders.push_back(points.folder(choice, last));
        names.push_back(answer.choices[choice].name);
    }
    std::ranges::move(report::sweep_warnings(folders, names), std::back_inserter(found));
    for (std::string& warning : found) {
        answer.warnings.push_back(
            fmt::format("{}: warning: {}", answer.plan.sweep.name, std::move(warning)));
    }
}

}  // namespace berth::experiments
