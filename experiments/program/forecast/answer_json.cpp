#include <algorithm>

#include "experiments/program/forecast/answer.hpp"

namespace berth::experiments {
namespace {

using nlohmann::ordered_json;

ordered_json seconds_or_null(sim::SimTime time) {
    return time == sim::never ? ordered_json(nullptr) : ordered_json(sim::seconds(time));
}

/// Quantiles of a start, in seconds from now.
ordered_json quantiles(const std::vector<sim::SimTime>& starts) {
    ordered_json out;
    for (const int percent : {10, 50, 90}) {
        out["p" + std::to_string(percent)] = seconds_or_null(quantile_of(starts, percent));
    }
    return out;
}

ordered_json job_json(const ForecastAnswer& answer, const JobForecast& forecast) {
    const PastJob& job = answer.past.jobs()[forecast.job];
    ordered_json out{{"job", job.job.name},
                     {"user", answer.past.user(job.user)},
                     {"proposed", job.proposed},
                     {"start_s", quantiles(forecast.starts)}};
    out["preempted"] = answer.forecast->basis.can_preempt
                           ? ordered_json(static_cast<double>(forecast.preempted) /
                                          static_cast<double>(forecast.starts.size()))
                           : ordered_json(nullptr);
    out["waits_for"] = forecast.waits_for;
    return out;
}

ordered_json basis_json(const ForecastBasis& basis) {
    return {{"running", basis.running},
            {"ended", basis.ended},
            {"same_user", basis.dependence.user},
            {"same_shape", basis.dependence.shape},
            {"moments", basis.dependence.moments},
            {"days", basis.days},
            {"new_users", basis.new_users},
            {"largest_share", basis.largest_share}};
}

ordered_json check_json(const ForecastCheck& check) {
    ordered_json intervals = ordered_json::array();
    for (const ForecastCheck::Interval& interval : check.intervals) {
        intervals.push_back({{"level", interval.level},
                             {"by_moment", interval.by_moment.percent},
                             {"least", interval.by_moment.least},
                             {"most", interval.by_moment.most},
                             {"by_job", interval.by_job}});
    }
    ordered_json groups = ordered_json::array();
    for (const ForecastCheck::Group& group : check.groups) {
        groups.push_back({{"group", group.name}, {"jobs", group.jobs}, {"covered", group.covered}});
    }
    return {{"moments", check.moments},
            {"days", check.days},
            {"jobs", check.jobs},
            {"intervals", std::move(intervals)},
            {"crps_s", check.error},
            {"crps_of_limits_s", check.error_of_limits},
            {"width_s", check.width},
            {"all_at_limit_s", check.to_limit},
            {"median_minus_start_s", check.bias},
            {"groups", std::move(groups)}};
}

}  // namespace

ordered_json forecast_json(const ForecastAnswer& answer) {
    ordered_json out{{"schema", "berth.forecast/v1"}, {"now_s", sim::seconds(answer.now)}};
    out["notes"] = answer.notes;
    if (answer.forecast) {
        out["basis"] = basis_json(answer.forecast->basis);
        ordered_json& jobs = out["jobs"] = ordered_json::array();
        for (const JobForecast& forecast : answer.forecast->jobs) {
            jobs.push_back(job_json(answer, forecast));
        }
    }
    if (answer.asked) {
        out["asked"] = answer.past.jobs()[*answer.asked].job.name;
        ordered_json& changes = out["changes"] = ordered_json::array();
        for (const TriedChange& change : answer.tried) {
            changes.push_back({{"change", change.what}, {"start_s", quantiles(change.starts)}});
        }
        const TriedChange* cheapest = cheapest_change(answer);
        out["cheapest"] = cheapest != nullptr ? ordered_json(cheapest->what) : nullptr;
    }
    if (answer.check) {
        out["check"] = check_json(*answer.check);
    }
    return out;
}

}  // namespace berth::experiments
