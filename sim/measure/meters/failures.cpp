#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/members.hpp"
#include "sim/measure/metered.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/meter/meter.hpp"
#include "sim/meter/sum_by_arrival.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {
namespace {

/// What failing and drained servers did to pods, and what work evictions lost. The meter of a
/// scheduler with quotas already says this.
class FailureMeter final : public Meter {
public:
    explicit FailureMeter(const Settings& settings)
        : window_(settings.window),
          give_up_after_(settings.on_failure.give_up_after),
          drains_(!settings.drains.empty()) {}

    void begin(Scheduler& scheduler) override { said_already_ = scheduler.quotas() != nullptr; }
    void recorded(const JobRecord& record, SimTime /*now*/) override {
        constexpr auto failed = static_cast<std::size_t>(EvictionCause::node_failed);
        constexpr auto drained = static_cast<std::size_t>(EvictionCause::drained);
        const bool given_up =
            record.outcome == Outcome::dropped && record.evictions[failed] >= give_up_after_;
        jobs_given_up_ += given_up ? 1 : 0;
        if (!window_.counts(record.job.submit)) {
            return;
        }
        for_each_member(record, [&](const Member& member) {
            pods_ += member.past.evictions[failed];
            pods_drained_ += member.past.evictions[drained];
            work_lost_s_.add(record.arrival, seconds(member.past.lost));
        });
    }
    void add_tables(RunResult& result) const override { result.jobs_given_up = jobs_given_up_; }
    void add_to(std::vector<Metric>& out) const override {
        if (!said_already_) {
            out.push_back({"pods_node_failed", pods_});
            if (drains_) {
                out.push_back({"pods_drained", pods_drained_});
            }
            out.push_back({"work_lost_s", work_lost_s_.total()});
        }
    }

private:
    Window window_;
    std::uint32_t give_up_after_;
    bool drains_;
    std::uint64_t jobs_given_up_ = 0;
    bool said_already_ = false;
    double pods_ = 0;
    double pods_drained_ = 0;
    SumByArrival work_lost_s_;
};

}  // namespace

std::unique_ptr<Meter> make_failures_meter(const Metered& run) {
    const bool may_evict = run.settings.servers_may_leave() || run.settings.admission != nullptr ||
                           run.settings.scheduler != nullptr;
    return may_evict ? std::make_unique<FailureMeter>(run.settings) : nullptr;
}

}  // namespace berth::sim
