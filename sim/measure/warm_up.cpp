#include "sim/measure/warm_up.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

constexpr std::size_t batch = 5;

Load& operator+=(Load& sum, const Load& load) {
    sum.in_system += load.in_system;
    sum.waiting += load.waiting;
    sum.allocated += load.allocated;
    return sum;
}

Load operator/(const Load& sum, std::size_t count) {
    const auto by = static_cast<double>(std::max<std::size_t>(count, 1));
    return {sum.in_system / by, sum.waiting / by, sum.allocated / by};
}

/// The mean of the history's slices in [begin, end).
Load mean_of(const LoadHistory& history, std::size_t begin, std::size_t end) {
    BERTH_ASSERT(begin <= end && end <= history.means.size(), "slices are those of the history");
    Load sum;
    for (std::size_t i = begin; i < end; ++i) {
        sum += history.means[i];
    }
    return sum / (end - begin);
}

}  // namespace

LoadHistory average(std::span<const LoadHistory> replications) {
    BERTH_ASSERT(!replications.empty(), "there is a replication to average");
    LoadHistory out = replications.front();
    for (const LoadHistory& history : replications) {
        out.slice = std::max(out.slice, history.slice);
        out.last_arrival = std::min(out.last_arrival, history.last_arrival);
        out.jobs = std::min(out.jobs, history.jobs);
        out.ended = std::min(out.ended, history.ended);
    }
    const auto slices = static_cast<std::size_t>(out.last_arrival / out.slice);
    out.means.assign(slices, Load{});
    for (const LoadHistory& history : replications) {
        const auto each = static_cast<std::size_t>(out.slice / history.slice);
        BERTH_ASSERT(out.slice % history.slice == SimTime(0),
                     "slices are doubled, and nothing else");
        for (std::size_t i = 0; i < slices; ++i) {
            out.means[i] += mean_of(history, i * each, (i + 1) * each) / replications.size();
        }
    }
    return out;
}

std::optional<SimTime> end_of_warm_up(const LoadHistory& history) {
    if (history.means.size() < slices_min) {
        return std::nullopt;
    }
    std::vector<double> batches;
    for (std::size_t i = 0; i + batch <= history.means.size(); i += batch) {
        batches.push_back(mean_of(history, i, i + batch).in_system);
    }
    // From the last batch backwards: the mean of the batches from `i` on, and their squared
    // deviations.
    double mean = 0;
    double squares = 0;
    double least = 0;
    const std::size_t half = batches.size() / 2;
    std::size_t best = half;
    for (std::size_t i = batches.size(); i-- > 0;) {
        const auto count = static_cast<double>(batches.size() - i);
        const double step = batches[i] - mean;
        mean += step / count;
        squares += step * (batches[i] - mean);
        const double error = squares / (count * count);
        if (i == half || (i < half && error <= least)) {
            least = error;
            best = i;
        }
    }
    if (best == half) {
        return std::nullopt;
    }
    return history.slice * static_cast<std::int64_t>(best * batch);
}

Load mean_load(const LoadHistory& history, SimTime from, SimTime to) {
    const auto index = [&](SimTime time) {
        const std::int64_t begun = time % history.slice > SimTime(0) ? 1 : 0;
        return std::min(static_cast<std::size_t>(time / history.slice + begun),
                        history.means.size());
    };
    return mean_of(history, index(from), std::max(index(from), index(to)));
}

}  // namespace berth::sim
