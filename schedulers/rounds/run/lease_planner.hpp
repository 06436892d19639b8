#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "schedulers/rounds/decide/active_jobs.hpp"
#include "schedulers/rounds/decide/worker_choice.hpp"
#include "schedulers/rounds/run/rounds_inquiry.hpp"
#include "schedulers/rounds/run/rounds_settings.hpp"

namespace berth::sim {

/// Who has which GPUs in a round, by the job's number.
using RoundPlan = std::map<std::uint32_t, core::rounds::Workers>;

/// Plans rounds. Jobs are known by their numbers, which grow with each arrival.
class LeasePlanner {
public:
    virtual ~LeasePlanner() = default;

    /// A job has come; `name`: that by which a recorded schedule knows it.
    virtual void add(std::uint32_t /*job*/, const std::string& /*name*/) {}
    virtual void remove(std::uint32_t /*job*/) {}
    /// Jobs have come or ended, or a batch size has changed, at this instant.
    virtual void change(const core::rounds::ActiveJobs& /*jobs*/) {}
    /// Plans a round for the jobs that have come and not ended. `before`: the round before it.
    [[nodiscard]] virtual RoundPlan plan(std::int64_t round,
                                         SimTime now,
                                         const core::rounds::ActiveJobs& jobs,
                                         const RoundPlan& before) = 0;
    /// No job was there at `first`, and each `every` after it before `until`, where rounds would
    /// have been planned.
    virtual void rest(SimTime /*first*/, SimTime /*every*/, SimTime /*until*/) {}
    /// Whether a job that has come gets GPUs in a later round than this one, whatever happens.
    [[nodiscard]] virtual bool promises_after(std::int64_t /*round*/) const { return false; }
    /// How many leases count as ended by a round, of `ended` that were.
    [[nodiscard]] virtual std::int64_t ended_leases(std::int64_t /*round*/,
                                                    std::int64_t ended) const {
        return ended;
    }
    /// Why a job is not in the last plan.
    [[nodiscard]] virtual std::string why_not(std::uint32_t job, std::int32_t gpus) const = 0;
    /// Where such a job stood; nullptr if there is no order, or it was not there.
    [[nodiscard]] virtual std::shared_ptr<RoundsInquiry> inquire(std::uint32_t /*job*/,
                                                                 std::int32_t /*gpus*/) const {
        return nullptr;
    }
};

/// Plans by the shares of time that a policy gives, or as a recorded schedule says.
[[nodiscard]] std::unique_ptr<LeasePlanner> make_lease_planner(const LeaseRounds& leases,
                                                               std::int64_t gpus);

}  // namespace berth::sim
