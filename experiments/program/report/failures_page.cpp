#include "experiments/program/report/failures_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/outage_strip.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr StripSize strip_size{64, 400};

Json sizes_data(const Failures& failures) {
    Json sizes = Json::array();
    for (const SizeFailures& size : failures.sizes) {
        const TimeToFailure time = size.time();
        const double mean = size.mean_size();
        sizes.push_back(
            {{"min", size.size_min},
             {"max", size.size_max},
             {"mean", rounded(mean)},
             {"jobs", size.jobs},
             {"interruptions", size.interruptions},
             {"running", rounded(size.running_s)},
             {"mttf", rounded(time.mean_s)},
             {"low", rounded(time.low_s)},
             {"high", rounded(time.high_s)},
             {"projected", mean > 0 ? rounded(failures.projected_s(mean)) : Json(nullptr)}});
    }
    return sizes;
}

/// An outage that took places of jobs. If the outage is not over, the time of its end is missing.
Json hit_data(const OutageStrip::Hit& hit, const OutageRow& outage) {
    const double to_s =
        std::isfinite(outage.to_s) ? outage.to_s : std::numeric_limits<double>::quiet_NaN();
    return Json::array({hit.row,
                        rounded(outage.from_s),
                        rounded(to_s),
                        outage.component,
                        outage.cause,
                        outage.jobs});
}

Json strip_data(const RunDirectory& run, std::size_t hits_max) {
    const auto end_s = std::ranges::find(run.replication_samples, "end_s", &Samples::name);
    if (!run.cluster || end_s == run.replication_samples.end()) {
        return nullptr;
    }
    const auto strip = outage_strip(*run.cluster, *run.failures, end_s->values.front(), strip_size);
    if (!strip) {
        return nullptr;
    }
    Json out = Json::array();
    for (const std::vector<double>& row : strip->out) {
        out.push_back(packed_numbers(row));
    }
    Json hits = Json::array();
    for (const OutageStrip::Hit& hit : strip->hits) {
        if (hits.size() < hits_max) {
            hits.push_back(hit_data(hit, run.failures->outages[hit.outage]));
        }
    }
    return {{"level", strip->level},
            {"rows", strip->rows},
            {"leftOut", strip->left_out},
            {"end", rounded(strip->end_s)},
            {"slices", strip_size.slices},
            {"out", std::move(out)},
            {"outages", run.failures->outages.size()},
            {"hits", std::move(hits)},
            {"hitsLeftOut", strip->hits.size() - std::min(hits_max, strip->hits.size())}};
}

}  // namespace

Json failures_data(const RunDirectory& run, std::size_t hits_max) {
    if (!run.failures) {
        return nullptr;
    }
    Json gpu_time = Json::array();
    for (const GpuUse& use : run.failures->gpu_time) {
        gpu_time.push_back(Json::array({use.use, rounded(use.gpu_seconds)}));
    }
    return {{"sizeOf", run.failures->size_of},
            {"sizes", sizes_data(*run.failures)},
            {"strip", strip_data(run, hits_max)},
            {"gpuTime", std::move(gpu_time)}};
}

}  // namespace berth::report
