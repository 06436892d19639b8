#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/in_order.hpp"
#include "experiments/program/run/merged_files.hpp"
#include "experiments/program/run/packed_jobs.hpp"
#include "experiments/program/run/warnings.hpp"
#include "sim/job/members.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/gpu_time.hpp"
#include "sim/measure/interruptions_by_size.hpp"

namespace berth::experiments {

/// Writes one replication's records as rows of the run directory's files.
class CsvRecorder final : public sim::RecordSink {
public:
    /// The files that a run writes row by row. pods.csv is among them only if placements are
    /// recorded.
    [[nodiscard]] static std::vector<MergedFiles::File> files(const ExperimentSpec& spec);

    CsvRecorder(const ExperimentSpec& spec, std::uint32_t replication, MergedFiles& files);

    void job(const sim::JobRecord& record) override;
    void sample(sim::SimTime at, std::span<const double> values) override;
    void quota_sample(sim::SimTime at, sim::QuotaManager& quotas) override;
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override;
    void quota_changed(const sim::QuotaChangeRecord& change) override;
    void quota_held(const sim::QuotaHold& hold) override;
    void scheduler_row(std::size_t table, std::span<const sim::RowField> row) override;
    void outage(const sim::Outage& outage) override;
    void drain(const sim::DrainRecord& drain) override;
    /// Records how the GPUs' time of the whole run was used.
    void gpu_time(const std::vector<sim::GpuTime>& times);
    /// Records how often jobs of each size were interrupted.
    void interruptions(const std::vector<sim::InterruptionsOfSize>& sizes);
    /// Hands over the buffered rows. The replication is done.
    void finish();

    /// The placements of groups by name, which are kept for claims in replication 0.
    [[nodiscard]] std::map<std::string, core::LogicalTree> placements() const;
    /// The name of the group that arrived first.
    [[nodiscard]] std::string first_group() const {
        return placements_.empty() ? std::string() : placements_.begin()->second.name;
    }
    [[nodiscard]] const CountedJobs& rejected() const { return rejected_; }
    [[nodiscard]] const CountedJobs& never_arrived() const { return never_arrived_; }

private:
    /// All files that an experiment may have, in their order. A run has only those that it can
    /// fill.
    enum FileIndex : std::size_t {
        timeseries,
        jobs,
        groups,
        pods,
        quotas,
        evictions,
        admissions,
        quota_changes,
        gpu_times,
        failures,
        mttf,
        drains,
        file_count
    };
    /// A value of the last sample in its written form. Most values are the same as in the sample
    /// before.
    class Sampled {
    public:
        void set(double value);
        [[nodiscard]] const std::string& text() const { return text_; }

    private:
        std::uint64_t bits_ = 0;  ///< The bits of the value: 0 and -0 are written differently.
        std::string text_;
    };
    /// The fields that the rows of all jobs of one kind share.
    struct Kind {
        AlikeFields in_jobs;
        AlikeFields in_pods;
    };
    struct Placed {
        std::string name;
        core::LogicalTree tree;
    };
    [[nodiscard]] static bool has(const ExperimentSpec& spec, FileIndex file);
    /// Appends rows to three texts: for jobs, for groups and for pods.
    void write_rows(const sim::JobRecord& record,
                    std::string& job,
                    std::string& group,
                    std::string& pod) const;
    /// Writes the same rows for a packed job.
    void write_rows(const PackedJobs::Unpacked& job);
    void keep(const sim::JobRecord& record);
    void take_in_order();
    void flush(std::size_t bytes_min);

    const ExperimentSpec& spec_;
    std::uint32_t replication_;
    MergedFiles& files_;
    /// Samples that are in timeseries.csv twice, the second time with a name for SQL.
    std::vector<std::size_t> quoted_samples_;
    std::vector<Sampled> sampled_;  ///< One for each sampled column of timeseries.csv.
    std::array<std::string, file_count> rows_;
    std::vector<std::string> scheduler_rows_;  ///< One text for each table of the scheduler.
    std::size_t scheduler_place_ = 0;          ///< Where its tables begin in the list of files.
    /// Where each file that this run has stands in its list of files, by FileIndex.
    std::array<std::size_t, file_count> place_{};
    InOrder order_;  ///< Keeps texts of jobs until their turn, in the order of arrival.
    PackedJobs packed_jobs_;
    /// The shared fields of each kind of jobs, by its number in PackedJobs.
    std::vector<std::optional<Kind>> kinds_;
    std::string text_;   ///< The kept text of one job.
    SharedTimes times_;  ///< The times of the job whose rows are being written.
    std::map<std::uint64_t, Placed> placements_;  ///< The placements of groups, by arrival.
    CountedJobs rejected_;
    CountedJobs never_arrived_;
};

}  // namespace berth::experiments
