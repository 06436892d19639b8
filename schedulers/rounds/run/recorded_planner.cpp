#include "schedulers/rounds/run/recorded_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "schedulers/rounds/decide/worker_choice.hpp"

namespace berth::sim {

using core::rounds::Scheduled;
using core::rounds::Workers;

namespace {

class RecordedPlanner final : public LeasePlanner {
public:
    RecordedPlanner(const std::vector<RecordedLease>& recorded, std::int64_t gpus) : gpus_(gpus) {
        for (const RecordedLease& row : recorded) {
            rows_of_[row.job].emplace(row.first_round, &row);
        }
        for (const auto& [job, rows] : rows_of_) {
            for (auto row = rows.begin(); std::next(row) != rows.end(); ++row) {
                ++ended_by_[row->second->last_round];
            }
        }
    }

    void add(std::uint32_t job, const std::string& name) override {
        const auto rows = rows_of_.find(name);
        if (rows != rows_of_.end()) {
            jobs_.emplace(job, &rows->second);
        }
    }
    void remove(std::uint32_t job) override { jobs_.erase(job); }

    [[nodiscard]] RoundPlan plan(std::int64_t round,
                                 SimTime /*now*/,
                                 const core::rounds::ActiveJobs& jobs,
                                 const RoundPlan& before) override {
        round_ = round;
        RoundPlan plan;
        std::vector<Scheduled> others;
        std::vector<bool> free(static_cast<std::size_t>(gpus_), true);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const std::uint32_t job = jobs.number[i];
            if (const RecordedLease* row = row_of(job, round)) {
                plan.emplace(job, row->workers);
                for (const std::uint32_t worker : row->workers) {
                    free[worker] = false;
                }
            } else if (is_over(job, round)) {
                const auto had = before.find(job);
                others.push_back(
                    {job, jobs.gpus[i], had == before.end() ? Workers() : had->second});
            }
        }
        core::rounds::choose_workers(others, std::move(free));
        for (Scheduled& one : others) {
            if (!one.workers.empty()) {
                plan.emplace(one.number, std::move(one.workers));
            }
        }
        return plan;
    }

    [[nodiscard]] bool promises_after(std::int64_t round) const override {
        return std::ranges::any_of(jobs_,
                                   [&](const auto& job) { return !is_over(job.first, round + 1); });
    }

    /// Those that the schedule ends, whoever runs: so rounds are as long as they were.
    [[nodiscard]] std::int64_t ended_leases(std::int64_t round,
                                            std::int64_t /*ended*/) const override {
        const auto ended = ended_by_.find(round);
        return ended == ended_by_.end() ? 0 : ended->second;
    }

    [[nodiscard]] std::string why_not(std::uint32_t job, std::int32_t gpus) const override {
        return is_over(job, round_)
                   ? fmt::format(
                         "it has no more rows in the recorded schedule, which leaves fewer "
                         "than {} GPU(s) in round {}.",
                         gpus,
                         round_)
                   : fmt::format("the recorded schedule gives it nothing in round {}.", round_);
    }

private:
    using Rows = std::map<std::int64_t, const RecordedLease*>;  ///< By their first rounds.

    [[nodiscard]] const RecordedLease* row_of(std::uint32_t job, std::int64_t round) const {
        const auto rows = jobs_.find(job);
        if (rows == jobs_.end()) {
            return nullptr;
        }
        const auto after = rows->second->upper_bound(round);
        return after != rows->second->begin() && std::prev(after)->second->last_round >= round
                   ? std::prev(after)->second
                   : nullptr;
    }
    [[nodiscard]] bool is_over(std::uint32_t job, std::int64_t round) const {
        const auto rows = jobs_.find(job);
        return rows == jobs_.end() || rows->second->rbegin()->second->last_round < round;
    }

    std::int64_t gpus_;
    std::unordered_map<std::string, Rows> rows_of_;
    std::map<std::int64_t, std::int64_t> ended_by_;  ///< Rows that are not their jobs' last ones.
    std::unordered_map<std::uint32_t, const Rows*> jobs_;
    std::int64_t round_ = 0;  ///< The round of the last plan.
};

}  // namespace

std::unique_ptr<LeasePlanner> make_recorded_planner(const std::vector<RecordedLease>& recorded,
                                                    std::int64_t gpus) {
    return std::make_unique<RecordedPlanner>(recorded, gpus);
}

}  // namespace berth::sim
