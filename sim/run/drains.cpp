#include "sim/run/drains.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::ServerId;

Drains::Drains(
    Cluster& cluster, JobLife& jobs, Outages& outages, RecordSink& sink, const Settings& settings)
    : cluster_(cluster),
      jobs_(jobs),
      outages_(outages),
      sink_(sink),
      windows_(settings.drains),
      changes_(&cluster.ledger().changes()) {}

void Drains::begin(std::uint32_t window) {
    const std::vector<ServerId> servers = cluster_.calendar().servers(window);
    open_.push_back({{windows_[window], std::nullopt, 0}, window, {}, false});
    Open& open = open_.back();
    for (const ServerId server : servers) {
        open.occupied.insert(server);
        staying_.emplace(server, window);
    }
    if (open.record.window.evicts) {
        evict_from(open);
    }
    for (const ServerId server : servers) {
        take_away_if_empty(server, open);
    }
}

/// Evicts preemptible jobs. A job that is already on its way out leaves when it was told to, unless
/// it has to leave now.
void Drains::evict_from(Open& open) {
    const SimTime grace = open.record.window.grace;
    const std::set<ServerId> servers = open.occupied;
    for (const ServerId server : servers) {
        for (const JobId id : jobs_.jobs_on(server)) {
            const JobState& state = jobs_.job(id);
            if (state.job().preemptible && (grace == SimTime(0) || !state.is_on_its_way_out())) {
                told_.insert_or_assign(id, open.window);
                jobs_.evict(id, EvictionCause::drained, grace);
            }
        }
    }
}

void Drains::take_away_if_empty(ServerId server, Open& open) {
    if (!jobs_.is_empty(server)) {
        return;
    }
    staying_.erase(server);
    BERTH_ASSERT(open.occupied.erase(server) == 1, "a server leaves once in a window");
    if (open.occupied.empty()) {
        open.record.emptied = jobs_.now();
    }
    outages_.drain(server, true);
}

Drains::Open* Drains::open_on(ServerId server) {
    const auto window = staying_.find(server);
    return window == staying_.end() ? nullptr : &open_[window->second - open_.front().window];
}

void Drains::event_handled() {
    count_evicted();
    if (staying_.empty()) {
        changes_.skip();
        return;
    }
    std::vector<ServerId> changed;
    if (changes_.has_missed()) {
        for (const auto& [server, window] : staying_) {
            changed.push_back(server);
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        changed.push_back(*server);
    }
    for (const ServerId server : changed) {
        if (Open* open = open_on(server)) {
            take_away_if_empty(server, *open);
        }
    }
}

void Drains::count_evicted() {
    for (const JobId id : jobs_.take_drained()) {
        const std::uint32_t window = told_.at(id);
        told_.erase(id);
        BERTH_ASSERT(!open_.empty() && window >= open_.front().window,
                     "whom a window evicts is gone before it is over");
        ++open_[window - open_.front().window].record.jobs;
    }
}

void Drains::finish(std::uint32_t window) {
    BERTH_ASSERT(!open_.empty() && window >= open_.front().window, "a window is over once");
    Open& open = open_[window - open_.front().window];
    for (const ServerId server : cluster_.calendar().servers(window)) {
        if (staying_.erase(server) == 0) {
            outages_.drain(server, false);
        }
    }
    open.over = true;
    while (!open_.empty() && open_.front().over) {
        record_front();
    }
    jobs_.change_drains(true);
}

void Drains::end() {
    while (!open_.empty()) {
        record_front();
    }
}

void Drains::record_front() {
    sink_.drain(open_.front().record);
    open_.pop_front();
}

}  // namespace berth::sim
