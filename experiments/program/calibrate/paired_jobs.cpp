#include "experiments/program/calibrate/paired_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "experiments/program/run/replicate.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/job_times.hpp"

namespace berth::experiments {
namespace {

constexpr sim::SimTime day = std::chrono::hours(24);

/// What a run says of its jobs, as far as the recording is compared with it.
class JobsOfRun final : public sim::RecordSink {
public:
    struct Row {
        std::uint64_t arrival = 0;
        PairedJob job;
    };

    explicit JobsOfRun(const core::Topology& tree) : times_(tree, {}) {}

    void job(const sim::JobRecord& record) override {
        const auto labels = times_.labels_of(record.job);
        const auto label = [&](sim::JobTrait trait) {
            return labels[static_cast<std::size_t>(trait)];
        };
        PairedJob job;
        job.name = record.job.name;
        job.size = record.job.size;
        job.demand = record.job.demand;
        job.submit = record.job.submit;
        job.start = record.first_start ? record.first_start : record.start;
        job.finish = record.finish;
        job.day = job.submit / day;
        job.labels[static_cast<std::size_t>(CalibrationTrait::day)] = fmt::format("{}", job.day);
        job.labels[static_cast<std::size_t>(CalibrationTrait::size)] = label(sim::JobTrait::size);
        job.labels[static_cast<std::size_t>(CalibrationTrait::user)] = label(sim::JobTrait::user);
        job.labels[static_cast<std::size_t>(CalibrationTrait::quota)] = label(sim::JobTrait::quota);
        rows.push_back({record.arrival, std::move(job)});
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}

    std::vector<Row> rows;

private:
    sim::JobTimes times_;
};

/// The recorded jobs by name, in the order in which jobs of that name were recorded.
class Recording {
public:
    explicit Recording(const std::vector<RecordedJob>& jobs) {
        for (const RecordedJob& job : jobs) {
            by_name_[job.name].jobs.push_back(&job);
        }
    }
    /// The next job of that name; nullptr if no further one was recorded.
    const RecordedJob* next(std::string_view name) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end() || found->second.next == found->second.jobs.size()) {
            return nullptr;
        }
        return found->second.jobs[found->second.next++];
    }

private:
    struct Namesakes {
        std::vector<const RecordedJob*> jobs;
        std::size_t next = 0;
    };
    std::map<std::string_view, Namesakes> by_name_;
};

}  // namespace

PairedJobs pair_jobs(const ExperimentSpec& spec,
                     const std::vector<RecordedJob>& recorded,
                     unsigned threads,
                     sim::RunControl& control) {
    const sim::Window window =
        spec.find_warm_up ? find_window(spec, threads, control).window : spec.settings.window;
    core::Ledger ledger = cluster_of(spec, 0);
    JobsOfRun run(*spec.topology);
    PairedJobs pairs;
    (void)replicate(spec, 0, ledger, run, control);
    pairs.interrupted = control.stop;
    std::ranges::sort(run.rows, {}, &JobsOfRun::Row::arrival);
    Recording recording(recorded);
    for (auto& row : run.rows) {
        const RecordedJob* was = recording.next(row.job.name);
        if (was == nullptr) {
            ++pairs.others;
        } else if (!was->start || !was->submit) {
            ++pairs.without;
        } else if (*was->start < *was->submit) {
            ++pairs.before;
        } else if (!window.counts(row.job.submit)) {
            ++pairs.outside;
        } else {
            row.job.labels[static_cast<std::size_t>(CalibrationTrait::partition)] = was->partition;
            row.job.recorded_submit = *was->submit;
            row.job.recorded_start = *was->start;
            row.job.recorded_finish = was->finish;
            pairs.jobs.push_back(std::move(row.job));
        }
    }
    return pairs;
}

}  // namespace berth::experiments
