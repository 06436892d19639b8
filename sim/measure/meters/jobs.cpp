#include <memory>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/measure/job_metrics.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// Waits and completion times by job, and by kind of job.
class JobMeter final : public Meter {
public:
    JobMeter(const core::Topology& tree, Window window) : jobs_(tree, window) {}

    void recorded(const JobRecord& record, SimTime now) override { jobs_.job(record, now); }
    void add_to(std::vector<Metric>& out) const override { jobs_.add_to(out); }
    void add_tables(RunResult& result) const override { result.kinds = jobs_.kinds(); }

private:
    JobMetrics jobs_;
};

}  // namespace

std::unique_ptr<Meter> make_jobs_meter(Cluster& cluster, const Settings& settings) {
    return std::make_unique<JobMeter>(cluster.topology(), settings.window);
}

}  // namespace berth::sim
