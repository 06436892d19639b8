#include "sim/backfill/start_search.hpp"

#include "core/index/fit_index.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;

StartSearch::StartSearch(
    Timetable& table, const Job& job, Members members, SimTime duration, SimTime at)
    : table_(table),
      job_(job),
      members_(members),
      duration_(duration),
      at_(at),
      width_(job.demand.size()),
      free_(table.servers() * width_),
      inside_(table.places_inside()),
      fits_(table.servers()),
      drained_(table.calendar().empty() ? 0 : table.servers()),
      pods_(job.per_server_max > 0 ? table.servers() : 0),
      begins_(table.places()) {
    for (std::uint32_t place = 0; place < table.places(); ++place) {
        look(place);
    }
}

void StartSearch::show(ImaginedCluster& cluster) {
    for (const std::uint32_t place : std::exchange(looked_, {})) {
        if (place < table_.servers()) {
            cluster.show(place, free(place));
        }
        if (place < drained_.size()) {
            cluster.hide(place, drained_[place]);
        }
        if (place < table_.places_inside()) {
            cluster.show_inside(place, inside_[place]);
        }
        if (place < pods_.size()) {
            cluster.show_pods(job_, place, pods_[place]);
        }
    }
}

bool StartSearch::advance() {
    if (changes_.empty()) {
        return false;
    }
    at_ = changes_.top().first;
    while (!changes_.empty() && changes_.top().first == at_) {
        const std::uint32_t place = changes_.top().second;
        changes_.pop();
        look(place);
    }
    return true;
}

void StartSearch::look(std::uint32_t place) {
    const Timetable::Place& here = table_.at(place);
    std::size_t& begin = begins_[place];
    while (begin + 1 < here.times.size() && here.times[begin + 1] <= at_) {
        ++begin;
    }
    const std::size_t end = here.steps_until(after(at_, duration_), begin);
    if (place < drained_.size()) {
        drained_[place] = table_.calendar().meets(core::ServerId{place}, at_, duration_);
    }
    if (place < table_.servers()) {
        count(here, place, begin, end);
    }
    if (place < table_.places_inside()) {
        inside_[place] = table_.taken(place, begin, end);
    }
    if (place < pods_.size()) {
        pods_[place] = table_.pods(job_, place, begin, end);
    }
    looked_.push_back(place);
    if (const SimTime change = next_change(here, place, begin, end); change != never) {
        changes_.emplace(std::max(change, at_ + SimTime(1)), place);
    }
}

/// It is another where a step leaves the time, or one comes into it, or a drain does.
SimTime StartSearch::next_change(const Timetable::Place& here,
                                 std::uint32_t place,
                                 std::size_t begin,
                                 std::size_t end) const {
    SimTime change = begin + 1 < here.times.size() ? here.times[begin + 1] : never;
    if (end < here.times.size() && duration_ != never) {
        change = std::min(change, here.times[end] - duration_ + SimTime(1));
    }
    if (place < drained_.size()) {
        const core::ServerId server{place};
        change = std::min(change, table_.calendar().next_change(server, at_, duration_));
    }
    return change;
}

/// How many fit on a server by the amounts that are free in all of these steps.
void StartSearch::count(const Timetable::Place& here,
                        std::uint32_t server,
                        std::size_t begin,
                        std::size_t end) {
    const std::span least = free(server);
    table_.least_free(here, begin, end, least);
    const bool drained = server < drained_.size() && drained_[server];
    const Members fit =
        drained ? 0 : std::clamp<Members>(core::fit_of(least, job_.demand), 0, members_);
    all_ += fit - fits_[server];
    fits_[server] = fit;
}

}  // namespace berth::sim
