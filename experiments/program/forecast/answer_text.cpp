#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/forecast/answer.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

/// To the minute from an hour on, since no forecast is exact to the second.
std::string start_text(SimTime start) {
    if (start == sim::never) {
        return "later";
    }
    const SimTime unit = start < std::chrono::hours(1) ? SimTime(std::chrono::seconds(1))
                                                       : SimTime(std::chrono::minutes(1));
    return sim::time_text((start + unit / 2) / unit * unit);
}

std::string quantiles(const std::vector<SimTime>& starts) {
    return fmt::format("{:>16} {:>16} {:>16}",
                       start_text(quantile_of(starts, 10)),
                       start_text(quantile_of(starts, 50)),
                       start_text(quantile_of(starts, 90)));
}

std::string jobs_text(const ForecastAnswer& answer) {
    const ForecastBasis& basis = answer.forecast->basis;
    std::size_t width = 3;
    for (const JobForecast& job : answer.forecast->jobs) {
        width = std::max(width, answer.past->jobs()[job.job].job.name.size());
    }
    std::string out = fmt::format("  {:<{}} {:>16} {:>16} {:>16}{}  waits for\n",
                                  "job",
                                  width,
                                  "10 %",
                                  "50 %",
                                  "90 %",
                                  basis.can_preempt ? " preempted" : "");
    for (const JobForecast& job : answer.forecast->jobs) {
        const double share =
            100 * static_cast<double>(job.preempted) / static_cast<double>(job.starts.size());
        out += fmt::format("  {:<{}} {}{}  {}\n",
                           answer.past->jobs()[job.job].job.name,
                           width,
                           quantiles(job.starts),
                           basis.can_preempt ? fmt::format(" {:>7.0f} %", share) : "",
                           job.waits_for);
    }
    return out;
}

std::string dependence_text(const std::optional<Dependence>& dependence) {
    if (!dependence) {
        return "jobs of one user are taken as independent";
    }
    return fmt::format(
        "jobs of one user resemble each other: {:.2f}, those of one size and limit: {:.2f} ({})",
        dependence->user,
        dependence->user + dependence->shape * (1 - dependence->user),
        dependence->moments == 0 ? "assumed, since no past moment tells it yet"
        : dependence->moments == 1
            ? "measured at 1 past moment"
            : fmt::format("measured at {} past moments", dependence->moments));
}

std::string basis_text(const ForecastBasis& basis, std::size_t waiting) {
    const std::string from = basis.ended == 1 ? "1 job that has ended"
                                              : fmt::format("{} jobs that have ended", basis.ended);
    std::string out = fmt::format("{}; {}\n",
                                  basis.learns ? "learned from " + from : "drawn up to the limits",
                                  dependence_text(basis.dependence));
    out += basis.days == 0 ? "no further jobs come: less than a day of the past is known\n"
                           : fmt::format("further jobs come as on {} past day{}\n",
                                         basis.days,
                                         basis.days == 1 ? "" : "s");
    if (basis.learns && !basis.new_users.empty()) {
        std::vector<std::string> names = basis.new_users;
        std::ranges::replace(names, std::string(), std::string("unknown users"));
        out += fmt::format(
            "note: no job of {} has ended yet: their run times are those of others{}\n",
            core::join(names, ", "),
            basis.dependence
                ? fmt::format(", and those of one such user resemble each other: {:.2f}",
                              basis.dependence->new_user)
                : "");
    }
    constexpr double most = 0.5;
    if (basis.largest_share > most && waiting > 1) {
        out += "note: most of the queue is of one user, whose new jobs may differ from his past\n";
    }
    return out;
}

std::string changes_text(const ForecastAnswer& answer) {
    const auto job = std::ranges::find(answer.forecast->jobs, *answer.asked, &JobForecast::job);
    std::size_t width = 5;
    for (const TriedChange& change : answer.tried) {
        width = std::max(width, change.what.size());
    }
    std::string out = fmt::format("{}, and what would change its start, each tried:\n  {:<{}} {}\n",
                                  answer.past->jobs()[*answer.asked].job.name,
                                  "as it is",
                                  width,
                                  quantiles(job->starts));
    for (const TriedChange& change : answer.tried) {
        out += fmt::format("  {:<{}} {}\n", change.what, width, quantiles(change.starts));
    }
    const TriedChange* cheapest = cheapest_change(answer);
    out += cheapest != nullptr
               ? fmt::format("the cheapest change that brings it forward: {}\n", cheapest->what)
               : "none of these brings it forward\n";
    return out;
}

std::string check_text(const ForecastCheck& check) {
    if (check.moments == 0) {
        return "no past moment had five waiting jobs, so that nothing tells how well this "
               "predicts\n";
    }
    std::string out = fmt::format(
        "{} past moments on {} days, with {} waiting jobs, were forecast "
        "from what was known then:\n",
        check.moments,
        check.days,
        check.jobs);
    for (const ForecastCheck::Interval& interval : check.intervals) {
        out += fmt::format(
            "  {} % intervals held {:.1f} % of the starts ({:.1f} to {:.1f} by day; "
            "moments weigh the same), {:.1f} % of all jobs\n",
            interval.level,
            interval.by_moment.percent,
            interval.by_moment.least,
            interval.by_moment.most,
            interval.by_job);
    }
    const auto hours = [](double seconds) { return seconds / 3600; };
    out += fmt::format("  the error (CRPS) was {:.2f} h, {:.2f} of that of limits alone\n",
                       hours(check.error),
                       check.error / check.error_of_limits);
    out += fmt::format(
        "  an 80 % interval was {:.2f} h wide, {:.2f} of the time until all had run "
        "to their limits\n",
        hours(check.width),
        check.width / check.to_limit);
    out += fmt::format("  medians were {:.2f} h {} on average\n",
                       std::abs(hours(check.bias)),
                       check.bias < 0 ? "too early" : "too late");
    for (const ForecastCheck::Group& group : check.groups) {
        out += fmt::format(
            "  {}: 80 % intervals held {:.1f} % of {}\n", group.name, group.covered, group.jobs);
    }
    return out;
}

}  // namespace

const TriedChange* cheapest_change(const ForecastAnswer& answer) {
    const auto job = std::ranges::find(answer.forecast->jobs, *answer.asked, &JobForecast::job);
    const SimTime median = quantile_of(job->starts, 50);
    const SimTime enough = std::max(median / 10, SimTime(std::chrono::minutes(1)));
    const auto found = std::ranges::find_if(answer.tried, [&](const TriedChange& change) {
        return quantile_of(change.starts, 50) <= median - enough;
    });
    return found == answer.tried.end() ? nullptr : &*found;
}

std::string forecast_text(const ForecastAnswer& answer) {
    std::string out;
    if (answer.forecast) {
        const Forecast& forecast = *answer.forecast;
        out += fmt::format("{} job{} and {} {} at {}; from then on, they start within:\n",
                           forecast.jobs.size(),
                           forecast.jobs.size() == 1 ? " waits" : "s wait",
                           forecast.basis.running,
                           forecast.basis.running == 1 ? "runs" : "run",
                           sim::time_text(answer.now));
        out += jobs_text(answer) + basis_text(forecast.basis, forecast.jobs.size());
    }
    for (const std::string& note : answer.notes) {
        out += "note: " + note + "\n";
    }
    if (answer.asked) {
        out += changes_text(answer);
    }
    if (answer.check) {
        out += check_text(*answer.check);
    }
    return out;
}

}  // namespace berth::experiments
