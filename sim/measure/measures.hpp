#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "sim/measure/job_metrics.hpp"
#include "sim/measure/load_history.hpp"
#include "sim/measure/metrics.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/measure/utilization.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Names of what a run samples, in their order.
[[nodiscard]] std::vector<std::string> sampled_metrics(const core::Topology& tree,
                                                       const Profile& profile);

/// What is measured of a run. It is told what happens, and nothing that happens depends on it.
class Measures {
public:
    /// All outlive it.
    Measures(Cluster& cluster, const Settings& settings);
    /// After the servers that are absent have left, and before anything happens.
    void begin(Scheduler& scheduler);

    /// A job has come. `ended` jobs have by now; without `more` to come it was the last.
    void submitted(const Job& job) const;
    void arrived(SimTime now, std::uint64_t ended, bool more) { load_.arrived(now, ended, more); }
    /// A job waits from now on, with the size that it has; or no longer.
    void waits(JobId id, const JobState& state);
    void leaves_queue(const JobState& state);
    /// So many more members run, or, negative, have stopped.
    void members_run(core::Members more);
    /// A member got this inside its server.
    void granted(const Job& job, const Grant& grant) const;
    /// A job is given up, or waits at the end.
    void not_started(const Job& job, std::uint32_t refusing_servers) const;
    /// A job whose record is complete and all before it are.
    void record(const JobRecord& record, SimTime now);

    /// Accounts for the time up to now with everything as it was.
    void settle(SimTime now);
    /// In the order of sampled_metrics(); of what is settled.
    [[nodiscard]] std::vector<double> sample();
    /// Adds everything that was measured, at the end of the run.
    void add_to(RunResult& result, SimTime now);

private:
    [[nodiscard]] Load load_now() const;
    void count_waiting(const Job& job, core::Members pods);

    const Settings& settings_;
    const core::Ledger& ledger_;
    Cluster& cluster_;
    Scheduler* scheduler_ = nullptr;
    Utilization utilization_;
    Metrics metrics_;
    JobMetrics job_metrics_;
    LoadRecorder load_;
    std::optional<GpuTimeLedger> gpu_time_;
    std::unique_ptr<Meter> inside_;  ///< Or nullptr.
    std::size_t service_resource_;
    std::size_t running_pods_ = 0;
    std::size_t waiting_pods_ = 0;
    std::vector<double> waiting_demand_;  ///< By resource, of all waiting pods.
};

}  // namespace berth::sim
