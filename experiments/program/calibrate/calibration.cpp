#include "experiments/program/calibrate/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/why/text.hpp"

namespace berth::experiments {
namespace {

/// How far the start in the run is from the recorded one. A job that has not started is farther
/// than all that have.
sim::SimTime distance(const PairedJob& job) {
    return job.start ? std::chrono::abs(job.late()) : sim::never;
}

std::vector<Disagreement> largest_of(const PairedJobs& pairs, std::size_t count) {
    std::vector<Disagreement> all;
    for (const PairedJob& job : pairs.jobs) {
        if (distance(job) > sim::SimTime(0)) {
            all.push_back({&job, ""});
        }
    }
    std::ranges::stable_sort(
        all, std::ranges::greater(), [](const Disagreement& one) { return distance(*one.job); });
    all.resize(std::min(all.size(), count));
    return all;
}

/// Why the job waited in the run; of one that the run starts earlier, what the run cannot explain.
std::string explain(const ExperimentSpec& spec, const PairedJob& job, sim::RunControl& control) {
    const WhyJob which = find_job(spec, job.name, 0);
    if (which.has_namesakes) {
        return "Other jobs have the same name, so that the run cannot be asked about it.";
    }
    const auto story = tell_story(spec, which, control);
    return story ? core::join(short_answer(spec, *story), " ") : "";
}

}  // namespace

Calibration calibrate(const std::string& file,
                      const ExperimentSpec& spec,
                      std::size_t explained,
                      unsigned threads,
                      sim::RunControl& control) {
    const std::vector<RecordedJob> recorded = read_recorded_jobs(file, spec);
    Calibration result;
    result.pairs = pair_jobs(spec, recorded, threads, control);
    if (result.pairs.interrupted) {
        return result;
    }
    const auto& jobs = result.pairs.jobs;
    if (jobs.empty()) {
        throw core::InputError(fmt::format(
            "{}: error: no job can be compared: {} arrive outside of spec.record's window, {} have "
            "no recorded start, {} start before they were submitted",
            file,
            result.pairs.outside,
            result.pairs.without,
            result.pairs.before));
    }
    std::vector<const PairedJob*> all;
    for (const PairedJob& job : jobs) {
        all.push_back(&job);
    }
    result.all = compare_waits("all", all, spec.seed);
    // A run whose quotas are the queues of the trace has them once, by the name that is its own.
    constexpr auto queue = static_cast<std::size_t>(CalibrationTrait::partition);
    constexpr auto quota = static_cast<std::size_t>(CalibrationTrait::quota);
    const bool same = std::ranges::all_of(
        jobs, [](const PairedJob& job) { return job.labels[queue] == job.labels[quota]; });
    for (std::size_t trait = 0; trait < calibration_traits.size(); ++trait) {
        if (same && trait == queue) {
            result.groups.emplace_back();
            continue;
        }
        result.groups.push_back(compare_by(static_cast<CalibrationTrait>(trait), jobs, spec.seed));
    }
    const std::size_t resources = spec.topology->resources().size();
    const UseOverTime in_recording = recorded_use(result.pairs, resources);
    const UseOverTime in_run = simulated_use(result.pairs, resources);
    result.curves = use_curves(*spec.topology, result.pairs, in_recording, in_run);
    result.causes = find_causes(*spec.topology, result.pairs, in_recording, in_run);
    result.largest = largest_of(result.pairs, explained);
    in_threads(threads, result.largest.size(), [&](std::size_t number) {
        if (!control.stop) {
            Disagreement& one = result.largest[number];
            one.why = explain(spec, *one.job, control);
        }
    });
    return result;
}

}  // namespace berth::experiments
