#include "schedulers/slurm/requests/best_run.hpp"

#include <algorithm>
#include <vector>

#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

using Runs = std::vector<std::unique_ptr<SlurmRun>>;

/// Gives up runs that passes doubt for copies of those that they do not. Its chance to be kept
/// halves with each bit of doubt.
Runs survivors(Runs runs, const std::vector<std::int64_t>& before, Milliseconds now) {
    constexpr std::int64_t most_bits = 30;
    std::vector<std::uint64_t> weights;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        weights.push_back(std::uint64_t{1}
                          << std::max<std::int64_t>(0, most_bits - (runs[i]->doubt() - before[i])));
        sum += weights.back();
    }
    Runs kept;
    std::uint64_t passed = 0;
    std::size_t from = 0;
    std::size_t copied = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        // The middle of the i-th of equal parts of the sum.
        const std::uint64_t at = sum * (2 * i + 1) / (2 * runs.size());
        while (passed + weights[from] <= at) {
            passed += weights[from++];
            copied = 0;
        }
        if (++copied == 1) {
            kept.push_back(std::move(runs[from]));
            continue;
        }
        kept.push_back(std::make_unique<SlurmRun>(*kept[kept.size() + 1 - copied]));
        kept.back()->redraw(now, sim::mix(static_cast<std::uint64_t>(now), i));
    }
    return kept;
}

std::int64_t doubt_of(const std::unique_ptr<SlurmRun>& run) {
    return run->doubt();
}

std::vector<std::int64_t> doubts_of(const Runs& runs) {
    std::vector<std::int64_t> doubts(runs.size());
    std::ranges::transform(runs, doubts.begin(), &doubt_of);
    return doubts;
}

/// Whether passes since `before` made runs more or less likely than each other.
bool differ(const Runs& runs, const std::vector<std::int64_t>& before) {
    for (std::size_t i = 1; i < runs.size(); ++i) {
        if (runs[i]->doubt() - before[i] != runs[0]->doubt() - before[0]) {
            return true;
        }
    }
    return false;
}

/// Many for a small request; a large one is left with few, for their time.
std::uint64_t count_of_runs(const SlurmRequest& request) {
    const bool all_known = std::ranges::all_of(request.jobs, [](const AskedJob& job) {
        return std::ranges::all_of(job.tasks,
                                   [](const AskedTask& task) { return task.run.has_value(); });
    });
    if (request.passes.empty() || all_known) {
        return 1;
    }
    constexpr std::uint64_t least = 8;
    constexpr std::uint64_t most = 400;
    constexpr std::uint64_t work = 20'000'000;
    const std::uint64_t work_of_one = request.jobs.size() * request.passes.size();
    return std::clamp(work / (work_of_one * request.cluster.nodes.size() + 1), least, most);
}

}  // namespace

std::unique_ptr<SlurmRun> best_run(const SlurmRequest& request, const EndTimes& ends) {
    const std::uint64_t count = count_of_runs(request);
    Runs runs;
    for (std::uint64_t i = 0; i < count; ++i) {
        runs.push_back(std::make_unique<SlurmRun>(request, ends, LaunchTimes(i, i % 2 == 0)));
    }
    if (request.passes.empty()) {
        runs.front()->run_on_own_clock();
    }
    std::vector<std::int64_t> before = doubts_of(runs);
    for (const RecordedPass& pass : request.passes) {
        for (const auto& run : runs) {
            run->follow(pass);
        }
        if (differ(runs, before)) {
            runs = survivors(std::move(runs), before, pass.at);
            before = doubts_of(runs);
        }
    }
    return std::move(*std::ranges::min_element(runs, {}, &doubt_of));
}

}  // namespace berth::experiments
