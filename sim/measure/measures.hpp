#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/job_times.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Names of what a run samples, in their order.
[[nodiscard]] std::vector<std::string> sampled_metrics(const core::Topology& tree,
                                                       const Profile& profile);

/// The meters of a run (meters.def), in their order. It tells each meter what happens; nothing that
/// happens depends on a meter. sim/meter/meter.hpp explains each function.
class Measures {
public:
    /// Makes the meters that this run has. Both arguments outlive it.
    Measures(Cluster& cluster, const Settings& settings);

    void begin(Scheduler& scheduler) const;
    void submitted(const Job& job);
    void arrived(SimTime now, std::uint64_t ended, bool more) const;
    void waits(JobId id, const JobState& state) const;
    void leaves_queue(const JobState& state) const;
    void members_run(core::Members more) const;
    void nodes_out(core::Level level, std::int64_t more) const;
    void interrupted(const Job& job, std::optional<std::uint32_t> cause) const;
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch) const;
    void granted(const Job& job, const Grant& grant) const;
    void without_place(const Job& job, std::uint32_t refusing_servers) const;
    void recorded(const JobRecord& record, SimTime now);
    void settle(SimTime now) const;
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    /// The values in the order of sampled_metrics(), as of the last settle(); valid until the next
    /// call.
    [[nodiscard]] std::span<const double> sample();
    /// Adds everything that was measured, at the end of the run.
    void add_to(RunResult& result, SimTime now) const;

private:
    const Settings& settings_;
    const core::Topology& tree_;
    JobTimes times_;
    std::vector<std::unique_ptr<Meter>> meters_;
    std::vector<double> sample_;
};

}  // namespace berth::sim
