#include "experiments/program/report/failures_page.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/outage_strip.hpp"

namespace berth::report {
namespace {

constexpr StripSize strip_size{64, 400};

Is<"SizeFailures"> size_data(const SizeFailures& size, const Failures& failures) {
    const TimeToFailure time = size.time();
    const double mean = size.mean_size();
    return object<"SizeFailures">(
        field<"min">(size.size_min),
        field<"max">(size.size_max),
        field<"mean">(rounded(mean)),
        field<"jobs">(size.jobs),
        field<"interruptions">(size.interruptions),
        field<"running">(rounded(size.running_s)),
        field<"mttf">(rounded(time.mean_s)),  // the mean time between their interruptions
        field<"low">(rounded(time.low_s)),    // of its 90 % interval
        field<"high">(rounded(time.high_s)),
        field<"projected">(rounded(mean > 0 ? failures.projected_s(mean) : std::nullopt)));
}

/// An outage that took places of jobs. If the outage is not over, the time of its end is missing.
Is<"OutageHit"> hit_data(const OutageStrip::Hit& hit, const OutageRow& outage) {
    return row<"OutageHit">(field<"row">(hit.row),
                            field<"from">(rounded(outage.from_s)),
                            field<"to">(rounded_if_any(outage.to_s)),
                            field<"component">(outage.component),
                            field<"cause">(outage.cause),
                            field<"jobs">(outage.jobs));
}

/// For each row, the part of each slice of time that its servers were out.
Maybe<"OutageStrip"> strip_data(const RunDirectory& run, std::size_t hits_max) {
    const auto end_s = std::ranges::find(run.replication_samples, "end_s", &Samples::name);
    if (!run.cluster || end_s == run.replication_samples.end()) {
        return nullptr;
    }
    const auto strip = outage_strip(*run.cluster, *run.failures, end_s->values.front(), strip_size);
    if (!strip) {
        return nullptr;
    }
    const auto hits = std::views::take(strip->hits, static_cast<std::ptrdiff_t>(hits_max));
    return object<"OutageStrip">(
        field<"level">(strip->level),
        field<"rows">(strip->rows),
        field<"leftOut">(strip->left_out),
        field<"end">(rounded(strip->end_s)),
        field<"slices">(strip_size.slices),
        field<"out">(list_of(strip->out, packed_numbers)),
        field<"outages">(run.failures->outages.size()),
        field<"hits">(list_of(hits,
                              [&](const OutageStrip::Hit& hit) {
                                  return hit_data(hit, run.failures->outages[hit.outage]);
                              })),
        field<"hitsLeftOut">(strip->hits.size() - hits.size()));
}

}  // namespace

Maybe<"Failures"> failures_data(const RunDirectory& run, std::size_t hits_max) {
    if (!run.failures) {
        return nullptr;
    }
    return object<"Failures">(
        field<"sizeOf">(run.failures->size_of),
        field<"sizes">(
            list_of(run.failures->sizes,
                    [&](const SizeFailures& size) { return size_data(size, *run.failures); })),
        field<"strip">(strip_data(run, hits_max)),
        field<"gpuTime">(list_of(run.failures->gpu_time, [](const GpuUse& use) {
            return std::pair(use.use, rounded(use.gpu_seconds));
        })));
}

}  // namespace berth::report
