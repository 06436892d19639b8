#include <sstream>
#include <string_view>
#include <utility>

#include "experiments/program/forecast/answer.hpp"
#include "experiments/program/report/page_data.hpp"
#include "experiments/program/report/report.hpp"

namespace berth::experiments {
namespace {

using report::field;
using report::Is;
using report::list_of;
using report::object;

/// Quantiles of a start, in seconds from now; nothing beyond the horizon.
Is<"StartQuantiles"> quantiles(const std::vector<sim::SimTime>& starts) {
    const auto at = [&](double percent) {
        const sim::SimTime time = quantile_of(starts, percent);
        return time == sim::never ? std::nullopt : std::optional(sim::seconds(time));
    };
    return object<"StartQuantiles">(field<"p10">(at(10)),
                                    field<"p25">(at(25)),
                                    field<"p50">(at(50)),
                                    field<"p75">(at(75)),
                                    field<"p90">(at(90)));
}

Is<"ForecastJob"> job_json(const ForecastAnswer& answer, const JobForecast& forecast) {
    const PastJob& job = answer.past->jobs()[forecast.job];
    const double share =
        static_cast<double>(forecast.preempted) / static_cast<double>(forecast.starts.size());
    const bool can_preempt = answer.forecast->basis.can_preempt;
    return object<"ForecastJob">(
        field<"job">(job.job.name),
        field<"user">(answer.past->user(job.user)),
        field<"proposed">(job.proposed),
        field<"asked">(answer.asked == forecast.job),
        field<"start_s">(quantiles(forecast.starts)),
        field<"preempted">(can_preempt ? std::optional(share) : std::nullopt),
        field<"waits_for">(forecast.waits_for));
}

Is<"ForecastBasis"> basis_json(const ForecastBasis& basis) {
    const auto& dependence = basis.dependence;
    return object<"ForecastBasis">(
        field<"running">(basis.running),
        field<"ended">(basis.ended),
        field<"learns">(basis.learns),
        field<"same_user">(dependence ? std::optional(dependence->user) : std::nullopt),
        field<"same_shape">(dependence ? std::optional(dependence->shape) : std::nullopt),
        field<"same_new_user">(dependence ? std::optional(dependence->new_user) : std::nullopt),
        field<"moments">(dependence ? dependence->moments : 0),
        field<"days">(basis.days),
        field<"new_users">(basis.new_users),
        field<"largest_share">(basis.largest_share));
}

Is<"CheckedInterval"> interval_json(const ForecastCheck::Interval& interval) {
    return object<"CheckedInterval">(field<"level">(interval.level),
                                     field<"by_moment">(interval.by_moment.percent),
                                     field<"least">(interval.by_moment.least),
                                     field<"most">(interval.by_moment.most),
                                     field<"by_job">(interval.by_job));
}

Is<"CheckedGroup"> group_json(const ForecastCheck::Group& group) {
    return object<"CheckedGroup">(
        field<"group">(group.name), field<"jobs">(group.jobs), field<"covered">(group.covered));
}

Is<"ForecastCheck"> check_json(const ForecastCheck& check) {
    return object<"ForecastCheck">(field<"moments">(check.moments),
                                   field<"days">(check.days),
                                   field<"jobs">(check.jobs),
                                   field<"intervals">(list_of(check.intervals, interval_json)),
                                   field<"crps_s">(check.error),
                                   field<"crps_of_limits_s">(check.error_of_limits),
                                   field<"width_s">(check.width),
                                   field<"all_at_limit_s">(check.to_limit),
                                   field<"median_minus_start_s">(check.bias),
                                   field<"groups">(list_of(check.groups, group_json)));
}

Is<"TriedChange"> change_json(const TriedChange& change) {
    return object<"TriedChange">(field<"change">(change.what),
                                 field<"start_s">(quantiles(change.starts)));
}

}  // namespace

Is<"Forecast"> forecast_json(const ForecastAnswer& answer) {
    auto out = object<"Forecast">(field<"schema">(std::string_view("berth.forecast/v1")),
                                  field<"name">(answer.name),
                                  field<"now_s">(sim::seconds(answer.now)),
                                  field<"notes">(answer.notes));
    if (answer.forecast) {
        report::add_to_some<"Forecast">(
            out,
            field<"basis">(basis_json(answer.forecast->basis)),
            field<"jobs">(list_of(answer.forecast->jobs, [&](const JobForecast& forecast) {
                return job_json(answer, forecast);
            })));
    }
    if (answer.asked) {
        const TriedChange* cheapest = cheapest_change(answer);
        report::add_to_some<"Forecast">(
            out,
            field<"asked">(answer.past->jobs()[*answer.asked].job.name),
            field<"changes">(list_of(answer.tried, change_json)),
            field<"cheapest">(cheapest == nullptr ? std::nullopt : std::optional(cheapest->what)));
    }
    if (answer.check) {
        report::add_to_some<"Forecast">(out, field<"check">(check_json(*answer.check)));
    }
    return out;
}

std::string forecast_page(const ForecastAnswer& answer) {
    auto page = report::page_without_runs();
    report::add_to_some<"WrittenPage">(page, field<"forecast">(forecast_json(answer)));
    std::ostringstream out;
    report::write_page(page, out);
    return std::move(out).str();
}

}  // namespace berth::experiments
