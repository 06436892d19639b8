#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/calibrate/calibration.hpp"
#include "experiments/program/plot/draw.hpp"
#include "experiments/program/report/page_data.hpp"
#include "experiments/program/report/page_json.hpp"
#include "experiments/program/report/report.hpp"
#include "experiments/program/run/table_row.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::experiments {
namespace {

using report::field;
using report::Is;
using report::list_of;
using report::object;
using report::rounded;
using report::rounded_list;

std::optional<std::vector<Is<"number">>> ends(const std::optional<DayInterval>& interval) {
    return interval ? std::optional(std::vector{rounded(interval->low), rounded(interval->high)})
                    : std::nullopt;
}

template <class Values>
std::vector<Is<"number">> rounded_all(const Values& values) {
    return list_of(values, [](double value) { return rounded(value); });
}

Is<"WaitAgreement"> agreement_json(const Agreement& row) {
    return object<"WaitAgreement">(
        field<"label">(row.label),
        field<"jobs">(row.jobs),
        field<"unstarted">(row.unstarted),
        field<"recorded_mean_s">(rounded(row.recorded_mean)),
        field<"simulated_mean_s">(rounded(row.simulated_mean)),
        field<"bias">(rounded(row.bias)),
        field<"bias_ci95">(ends(row.bias_interval)),
        field<"recorded_quantiles_s">(rounded_all(row.recorded_quantiles)),
        field<"simulated_quantiles_s">(rounded_all(row.simulated_quantiles)),
        field<"rank_correlation">(rounded(row.rank_correlation)),
        field<"within">(rounded_all(row.within)),
        field<"within_10m_ci95">(ends(row.within_interval)));
}

Is<"CalibrationCause"> cause_json(const CalibrationCause& cause) {
    return object<"CalibrationCause">(
        field<"name">(cause.name), field<"text">(cause.text), field<"count">(cause.count));
}

std::optional<double> seconds_of(const std::optional<sim::SimTime>& time) {
    return time ? std::optional(sim::seconds(*time)) : std::nullopt;
}

Is<"Disagreement"> disagreement_json(const Disagreement& one) {
    const PairedJob& job = *one.job;
    return object<"Disagreement">(field<"job">(job.name),
                                  field<"submit_s">(sim::seconds(job.recorded_submit)),
                                  field<"recorded_start_s">(sim::seconds(job.recorded_start)),
                                  field<"start_s">(seconds_of(job.start)),
                                  field<"why">(one.why));
}

Is<"UseCurves"> curves_json(const UseCurves& curves) {
    return object<"UseCurves">(field<"resource">(curves.resource),
                               field<"capacity">(curves.capacity),
                               field<"time_s">(curves.time_s),
                               field<"recorded">(rounded_list(curves.recorded)),
                               field<"simulated">(rounded_list(curves.simulated)),
                               field<"distance">(rounded(curves.distance)));
}

}  // namespace

report::Is<"Calibration"> calibration_json(const ExperimentSpec& spec,
                                           const Calibration& calibration) {
    std::vector<Is<"TraitAgreement">> groups;
    for (std::size_t trait = 0; trait < calibration.groups.size(); ++trait) {
        if (!calibration.groups[trait].empty()) {
            groups.push_back(object<"TraitAgreement">(
                field<"by">(calibration_traits[trait]),
                field<"rows">(list_of(calibration.groups[trait], agreement_json))));
        }
    }
    return object<"Calibration">(field<"schema">(std::string_view("berth.calibrate/v1")),
                                 field<"name">(spec.name),
                                 field<"headline">(headline_text(calibration)),
                                 field<"quantiles">(told_quantiles),
                                 field<"nearness_s">(told_nearness_s),
                                 field<"without_start">(calibration.pairs.without),
                                 field<"start_before_submit">(calibration.pairs.before),
                                 field<"outside_window">(calibration.pairs.outside),
                                 field<"not_in_trace">(calibration.pairs.others),
                                 field<"all">(agreement_json(calibration.all)),
                                 field<"groups">(groups),
                                 field<"use">(curves_json(calibration.curves)),
                                 field<"causes">(list_of(calibration.causes, cause_json)),
                                 field<"largest">(list_of(calibration.largest, disagreement_json)));
}

std::string calibration_page(const ExperimentSpec& spec, const Calibration& calibration) {
    auto page = report::page_without_runs();
    report::add_to_some<"WrittenPage">(page,
                                       field<"calibration">(calibration_json(spec, calibration)));
    std::ostringstream out;
    report::write_page(page, out);
    return std::move(out).str();
}

std::string calibration_picture(const ExperimentSpec& spec, const Calibration& calibration) {
    nlohmann::ordered_json data = report::data_of_runs({}, {});
    data["figure"] = "calibration";
    data["calibration"] = calibration_json(spec, calibration);
    return report::drawn_svg(data);
}

std::string calibration_csv(const Calibration& calibration) {
    std::string out =
        "job,size,user,partition,quota,submit_s,recorded_start_s,recorded_finish_s,start_s,"
        "finish_s\n";
    for (const PairedJob& job : calibration.pairs.jobs) {
        const auto label = [&](CalibrationTrait trait) {
            return std::string_view(job.labels[static_cast<std::size_t>(trait)]);
        };
        TableRow row(out);
        row.text(job.name)
            .integer(job.size)
            .text(label(CalibrationTrait::user))
            .text(label(CalibrationTrait::partition))
            .text(label(CalibrationTrait::quota))
            .seconds(job.recorded_submit)
            .seconds(job.recorded_start)
            .seconds(job.recorded_finish)
            .seconds(job.start)
            .seconds(job.finish);
        row.end();
    }
    return out;
}

}  // namespace berth::experiments
