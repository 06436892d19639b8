#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/run/asked_scheduler.hpp"

namespace berth::tests {

/// A start: the job's name, the time, and the number of members on each of its servers.
using Start = std::tuple<std::string, sim::SimTime, std::vector<std::pair<std::uint32_t, int>>>;

/// Plays everything in a cluster except its scheduler, which it asks: jobs come, run for their
/// duration and end, and servers leave and come back. `withdrawn_at` names jobs by their index in
/// the list; each is withdrawn at its time if it still waits then.
class AskedRun {
public:
    AskedRun(std::shared_ptr<const core::Topology> tree,
             std::vector<sim::Job> jobs,
             std::vector<sim::NodeChange> changes,
             const sim::Settings& settings,
             std::multimap<sim::SimTime, std::uint64_t> withdrawn_at = {})
        : ledger_(std::move(tree)),
          scheduler_(ledger_, settings),
          jobs_(std::move(jobs)),
          changes_(std::move(changes)),
          withdrawn_at_(std::move(withdrawn_at)) {
        constexpr int vain_turns_max = 500;
        int vain_turns = 0;
        while (vain_turns < vain_turns_max) {
            const std::optional<sim::SimTime> own = next_event();
            const std::optional<sim::SimTime> turn = scheduler_.next_turn();
            if (!own && !turn) {
                break;
            }
            vain_turns = own ? 0 : vain_turns + 1;
            happen(own && turn ? std::min(*own, *turn) : own ? *own : *turn);
        }
    }

    std::vector<Start> starts;
    std::set<std::string> rejected;
    std::set<std::string> withdrawn;
    std::optional<core::Violation> violation;  ///< The first violation found.

private:
    [[nodiscard]] std::optional<sim::SimTime> next_event() const {
        std::optional<sim::SimTime> next;
        const auto add = [&next](sim::SimTime at) { next = next ? std::min(*next, at) : at; };
        if (next_job_ < jobs_.size()) {
            add(jobs_[next_job_].submit);
        }
        if (next_change_ < changes_.size()) {
            add(changes_[next_change_].at);
        }
        if (!ends_.empty()) {
            add(ends_.begin()->first);
        }
        if (!withdrawn_at_.empty()) {
            add(withdrawn_at_.begin()->first);
        }
        return next;
    }

    void happen(sim::SimTime now) {
        while (!ends_.empty() && ends_.begin()->first == now) {
            scheduler_.end(ends_.begin()->second);
            ends_.erase(ends_.begin());
        }
        for (; !withdrawn_at_.empty() && withdrawn_at_.begin()->first == now;
             withdrawn_at_.erase(withdrawn_at_.begin())) {
            withdraw(withdrawn_at_.begin()->second);
        }
        for (; next_change_ < changes_.size() && changes_[next_change_].at == now; ++next_change_) {
            const sim::NodeChange& change = changes_[next_change_];
            if (scheduler_.is_up(change.server) != change.up) {
                scheduler_.change_server(change.server, change.up);
            }
        }
        for (; next_job_ < jobs_.size() && jobs_[next_job_].submit == now; ++next_job_) {
            sim::Job job = jobs_[next_job_];
            job.estimate = job.stated_duration();
            job.duration.reset();
            (void)scheduler_.submit(std::move(job));
        }
        for (const sim::Decision& decision : scheduler_.decide(now)) {
            carry_out(decision);
        }
        if (!violation) {
            violation = scheduler_.find_violation();
        }
    }

    void withdraw(std::uint64_t job) {
        const bool runs =
            std::ranges::any_of(ends_, [&](const auto& end) { return end.second == job; });
        if (!runs && !scheduler_.why_no_end(job)) {
            scheduler_.end(job);
            withdrawn.insert(jobs_.at(static_cast<std::size_t>(job)).name);
        }
    }

    void carry_out(const sim::Decision& decision) {
        const sim::Job& job = jobs_.at(static_cast<std::size_t>(decision.job));
        switch (decision.kind) {
            case sim::Decision::Kind::start: {
                std::vector<std::pair<std::uint32_t, int>> servers;
                for (const core::PlacedNode& server : decision.servers) {
                    servers.emplace_back(server.node.index, static_cast<int>(server.count));
                }
                starts.emplace_back(job.name, decision.at, std::move(servers));
                ends_.emplace(decision.at + *job.duration, decision.job);
                break;
            }
            case sim::Decision::Kind::evict:
                std::erase_if(ends_, [&](const auto& end) { return end.second == decision.job; });
                break;
            case sim::Decision::Kind::reject:
                rejected.insert(job.name);
                break;
        }
    }

    core::Ledger ledger_;
    sim::AskedScheduler scheduler_;
    std::vector<sim::Job> jobs_;
    std::vector<sim::NodeChange> changes_;
    std::multimap<sim::SimTime, std::uint64_t> withdrawn_at_;
    std::size_t next_job_ = 0;
    std::size_t next_change_ = 0;
    std::multimap<sim::SimTime, std::uint64_t> ends_;  ///< Jobs by their ends, then by starts.
};

}  // namespace berth::tests
