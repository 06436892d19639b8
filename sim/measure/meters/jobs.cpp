#include <memory>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/measure/job_metrics.hpp"
#include "sim/measure/metered.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/meter/meter.hpp"

namespace berth::sim {
namespace {

/// Waits and completion times by job, and by kind of job.
class JobMeter final : public Meter {
public:
    explicit JobMeter(const Metered& run)
        : jobs_(run.times, run.cluster.topology(), run.settings) {}

    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch) override {
        jobs_.stint_over(job, stint, stretch);
    }
    void recorded(const JobRecord& record, SimTime /*now*/) override { jobs_.job(record); }
    void finish(SimTime now) override { jobs_.finish(now); }
    void add_to(std::vector<Metric>& out) const override { jobs_.add_to(out); }
    void add_tables(RunResult& result) const override { result.kinds = jobs_.kinds(); }

private:
    JobMetrics jobs_;
};

}  // namespace

std::unique_ptr<Meter> make_jobs_meter(const Metered& run) {
    return std::make_unique<JobMeter>(run);
}

}  // namespace berth::sim
