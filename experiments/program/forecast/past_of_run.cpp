#include "experiments/program/forecast/past_of_run.hpp"

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/run/replicate.hpp"

namespace berth::experiments {
namespace {

class Collector final : public sim::RecordSink {
public:
    void job(const sim::JobRecord& record) override {
        if (record.never_arrived) {
            return;
        }
        PastJob& job = jobs_.emplace_back(record.job, record.start);
        job.end = record.finish ? record.finish : record.dropped;
        job.finished = record.outcome == sim::Outcome::finished;
        if (record.outcome == sim::Outcome::rejected) {
            job.end = record.job.submit;
        }
        job.places = std::move(earlier_[record.arrival]);
        earlier_.erase(record.arrival);
        add(record.stints, {}, job.places);
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        add(record.stints, eviction.at, earlier_[record.arrival]);
    }
    void outage(const sim::Outage& outage) override {
        outages_.push_back({outage.node, outage.at, outage.back});
    }

    [[nodiscard]] Past take() { return Past(std::move(jobs_), std::move(outages_)); }

private:
    static void add(const sim::Stints& stints,
                    sim::OptionalTime end,
                    std::vector<PastPlace>& places) {
        for (const sim::Stint& stint : stints) {
            places.push_back(
                {stint.server, stint.members, stint.start, stint.finish ? stint.finish : end});
        }
    }

    std::vector<PastJob> jobs_;
    std::vector<PastOutage> outages_;
    std::map<std::uint64_t, std::vector<PastPlace>>
        earlier_;  ///< The places of each job, by its number of arrival.
};

}  // namespace

Past past_of_run(const ExperimentSpec& spec, std::uint32_t replication, sim::RunControl& control) {
    if (spec.settings.training) {
        throw core::InputError(
            "berth forecast: error: the run has jobs that train, whose work is known as a number "
            "of steps: expected jobs with run times");
    }
    core::Ledger ledger = cluster_of(spec, replication);
    Collector collector;
    (void)replicate(spec, replication, ledger, collector, control);
    return collector.take();
}

}  // namespace berth::experiments
