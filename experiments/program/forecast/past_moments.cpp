#include "experiments/program/forecast/past_moments.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

/// How many jobs more wait from each instant on.
using WaitChanges = std::map<SimTime, std::int64_t>;

void add_wait(SimTime from, SimTime to, WaitChanges& changes) {
    if (from < to) {
        ++changes[from];
        --changes[to];
    }
}

/// The times from its submission on at which a job neither runs nor is over.
void add_waits(const PastJob& job, WaitChanges& changes) {
    std::vector<PastPlace> places = job.places;
    if (places.empty() && job.start) {
        places.push_back({{}, 1, *job.start, job.end});
    }
    std::ranges::sort(places, {}, &PastPlace::start);
    const SimTime over = job.end.value_or(sim::never);
    SimTime at = job.job.submit;
    for (const PastPlace& place : places) {
        add_wait(at, std::min(place.start, over), changes);
        at = std::max(at, place.end.value_or(sim::never));
    }
    add_wait(at, over, changes);
}

/// When the first job ended whose run time tells something of others; nothing if none did.
std::optional<SimTime> first_end(const Past& past) {
    std::optional<SimTime> first;
    for (const PastJob& job : past.jobs()) {
        if (job.finished && job.start && job.end && (!first || *job.end < *first)) {
            first = *job.end;
        }
    }
    return first;
}

}  // namespace

std::vector<WaitingCount> waiting_counts(const Past& past) {
    WaitChanges changes;
    for (const PastJob& job : past.jobs()) {
        add_waits(job, changes);
    }
    std::vector<WaitingCount> counts;
    std::int64_t waiting = 0;
    for (const auto& [at, more] : changes) {
        waiting += more;
        counts.push_back({at, waiting});
    }
    return counts;
}

std::vector<SimTime> draw_moments(const Past& past,
                                  SimTime until,
                                  std::size_t count,
                                  std::uint64_t seed) {
    constexpr double begin = 0.08;
    constexpr std::int64_t waiting_min = 5;
    constexpr std::uint64_t draws_each = 1000;
    std::vector<SimTime> moments;
    const auto learned_from = first_end(past);
    if (!learned_from) {
        return moments;
    }
    const std::vector<WaitingCount> counts = waiting_counts(past);
    const sim::RandomSeries series(seed, "forecast/moment");
    const auto span = static_cast<double>((until - past.first()).count());
    for (std::uint64_t i = 0; i < draws_each * count && moments.size() < count; ++i) {
        const double part = begin + (1 - begin) * series.uniform(i);
        const SimTime at = past.first() + SimTime(static_cast<std::int64_t>(part * span));
        const auto after = std::ranges::upper_bound(counts, at, {}, &WaitingCount::from);
        if (at >= *learned_from && after != counts.begin() &&
            std::prev(after)->jobs >= waiting_min) {
            moments.push_back(at);
        }
    }
    return moments;
}

}  // namespace berth::experiments
