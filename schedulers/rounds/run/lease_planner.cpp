#include "schedulers/rounds/run/lease_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedulers/rounds/decide/lease_order.hpp"
#include "schedulers/rounds/decide/lease_policy.hpp"
#include "schedulers/rounds/run/recorded_planner.hpp"

namespace berth::sim {

using core::rounds::ActiveJobs;
using core::rounds::Scheduled;
using core::rounds::Turn;

namespace {

class PolicyPlanner final : public LeasePlanner {
public:
    PolicyPlanner(const LeaseRounds& leases, std::int64_t gpus)
        : name_(leases.policy),
          policy_(core::rounds::make_lease_policy(leases.policy, gpus)),
          order_(leases.look_ahead),
          gpus_(gpus) {}

    void change(const ActiveJobs& jobs) override {
        order_.take(jobs, jobs.size() > 0 ? policy_(jobs) : core::rounds::Shares());
    }

    void rest(SimTime first, SimTime every, SimTime until) override {
        order_.rest(first, every, until);
    }

    [[nodiscard]] RoundPlan plan(std::int64_t /*round*/,
                                 SimTime now,
                                 const ActiveJobs& jobs,
                                 const RoundPlan& before) override {
        turns_ = core::rounds::take_turns(jobs.gpus, order_.order(now, jobs), gpus_);
        rank_of_.clear();
        std::vector<Scheduled> chosen;
        for (std::size_t i = 0; i < turns_.size(); ++i) {
            const std::size_t job = turns_[i].job;
            rank_of_.emplace(jobs.number[job], i);
            if (turns_[i].fits) {
                const auto had = before.find(jobs.number[job]);
                chosen.push_back({jobs.number[job],
                                  jobs.gpus[job],
                                  had == before.end() ? core::rounds::Workers() : had->second});
            }
        }
        core::rounds::choose_workers(chosen,
                                     std::vector<bool>(static_cast<std::size_t>(gpus_), true));
        RoundPlan plan;
        for (Scheduled& one : chosen) {
            plan.emplace(one.number, std::move(one.workers));
        }
        return plan;
    }

    [[nodiscard]] std::string why_not(std::uint32_t job, std::int32_t gpus) const override {
        const auto rank = rank_of_.find(job);
        if (rank == rank_of_.end()) {
            return "it came after the last round was planned.";
        }
        return fmt::format(
            "it is number {} of {} in the order of {}: {} of {} GPUs were left when "
            "its turn came, and it asks for {}.",
            rank->second + 1,
            turns_.size(),
            name_,
            turns_[rank->second].free,
            gpus_,
            gpus);
    }

private:
    std::string name_;
    core::rounds::LeasePolicy policy_;
    core::rounds::LeaseOrder order_;
    std::int64_t gpus_;
    std::vector<Turn> turns_;  ///< Of the last plan.
    std::map<std::uint32_t, std::size_t> rank_of_;
};

}  // namespace

std::unique_ptr<LeasePlanner> make_lease_planner(const LeaseRounds& leases, std::int64_t gpus) {
    if (leases.policy.empty()) {
        return make_recorded_planner(leases.recorded, gpus);
    }
    return std::make_unique<PolicyPlanner>(leases, gpus);
}

}  // namespace berth::sim
