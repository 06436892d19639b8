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
        numbers_ = jobs.number;
        turn_of_job_.resize(turns_.size());
        for (std::size_t i = 0; i < turns_.size(); ++i) {
            turn_of_job_[turns_[i].job] = i;
        }
        std::vector<Scheduled> chosen;
        for (const core::rounds::Turn& turn : turns_) {
            const std::size_t job = turn.job;
            if (turn.fits) {
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
        const auto turn = turn_of(job);
        if (turn == turns_.end()) {
            return "it came after the last round was planned.";
        }
        return fmt::format(
            "it is number {} of {} in the order of {}: {} of {} GPUs were left when "
            "its turn came, and it asks for {}.",
            turn - turns_.begin() + 1,
            turns_.size(),
            name_,
            turn->free,
            gpus_,
            gpus);
    }

    [[nodiscard]] std::shared_ptr<RoundsInquiry> inquire(std::uint32_t job,
                                                         std::int32_t gpus) const override {
        const auto turn = turn_of(job);
        if (turn == turns_.end()) {
            return nullptr;
        }
        auto stood = std::make_shared<RoundsInquiry>();
        stood->rank = static_cast<std::size_t>(turn - turns_.begin()) + 1;
        stood->jobs = turns_.size();
        stood->free = turn->free;
        stood->asked = gpus;
        stood->enough_gpus = static_cast<std::int32_t>(turn->free);
        // What is left never grows from turn to turn.
        stood->enough_rank = static_cast<std::size_t>(
            std::ranges::partition_point(
                turns_, [&](const core::rounds::Turn& one) { return one.free >= gpus; }) -
            turns_.begin());
        return stood;
    }

private:
    [[nodiscard]] std::vector<core::rounds::Turn>::const_iterator turn_of(std::uint32_t job) const {
        const auto number = std::ranges::lower_bound(numbers_, job);
        if (number == numbers_.end() || *number != job) {
            return turns_.end();
        }
        const std::size_t turn = turn_of_job_[static_cast<std::size_t>(number - numbers_.begin())];
        return turns_.begin() + static_cast<std::ptrdiff_t>(turn);
    }

    std::string name_;
    core::rounds::LeasePolicy policy_;
    core::rounds::LeaseOrder order_;
    std::int64_t gpus_;
    std::vector<core::rounds::Turn> turns_;  ///< The turns of the last plan.
    std::vector<std::uint32_t> numbers_;     ///< The numbers of the last plan's jobs, ascending.
    std::vector<std::size_t> turn_of_job_;   ///< By a job's position in `numbers_`.
};

}  // namespace

std::unique_ptr<LeasePlanner> make_lease_planner(const LeaseRounds& leases, std::int64_t gpus) {
    if (leases.policy.empty()) {
        return make_recorded_planner(leases.recorded, gpus);
    }
    return std::make_unique<PolicyPlanner>(leases, gpus);
}

}  // namespace berth::sim
