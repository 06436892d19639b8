#pragma once

#include <array>
#include <cstdint>
#include <limits>
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
    /// The files that a run writes row by row; pods.csv only where placements are recorded.
    [[nodiscard]] static std::vector<MergedFiles::File> files(const ExperimentSpec& spec);

    CsvRecorder(const ExperimentSpec& spec, std::uint32_t replication, MergedFiles& files);

    void job(const sim::JobRecord& record) override;
    void sample(sim::SimTime at, std::span<const double> values) override;
    void quota_sample(sim::SimTime at, sim::QuotaManager& quotas) override;
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override;
    void quota_changed(const sim::QuotaChangeRecord& change) override;
    void quota_held(const sim::QuotaHold& hold) override;
    void outage(const sim::Outage& outage) override;
    void drain(const sim::DrainRecord& drain) override;
    /// What the GPUs' time of the whole run went into.
    void gpu_time(const std::vector<sim::GpuTime>& times);
    /// How often jobs of each size were interrupted.
    void interruptions(const std::vector<sim::InterruptionsOfSize>& sizes);
    /// Hands over what is buffered; the replication is done.
    void finish();

    /// The placements of groups by name, kept for claims in replication 0.
    [[nodiscard]] std::map<std::string, core::LogicalTree> placements() const;
    /// The name of the group that arrived first.
    [[nodiscard]] std::string first_group() const {
        return placements_.empty() ? std::string() : placements_.begin()->second.name;
    }
    [[nodiscard]] const RejectedJobs& rejected() const { return rejected_; }

private:
    /// The files that an experiment may have, in their order; what it cannot fill it has not.
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
    /// A value of the last sample as it is written: most are as they were at the sample before.
    class Sampled {
    public:
        void set(double value);
        [[nodiscard]] const std::string& text() const { return text_; }

    private:
        std::uint64_t bits_ = 0;  ///< Of the value: 0 and -0 are written differently.
        std::string text_;
    };
    /// What rows have in common of jobs of one kind.
    struct Kind {
        AlikeFields in_jobs;
        AlikeFields in_pods;
    };
    struct Placed {
        std::string name;
        core::LogicalTree tree;
    };
    [[nodiscard]] static bool has(const ExperimentSpec& spec, FileIndex file);
    /// At the ends of three texts: of jobs, of groups and of pods.
    void write_rows(const sim::JobRecord& record,
                    std::string& job,
                    std::string& group,
                    std::string& pod) const;
    /// The same of a job that was packed.
    void write_rows(const PackedJobs::Unpacked& job);
    void keep(const sim::JobRecord& record);
    void take_in_order();
    void flush(std::size_t bytes_min);

    const ExperimentSpec& spec_;
    std::uint32_t replication_;
    MergedFiles& files_;
    /// The samples that stand in timeseries.csv twice, the second time for SQL.
    std::vector<std::size_t> quoted_samples_;
    std::vector<Sampled> sampled_;  ///< By column of timeseries.csv.
    std::array<std::string, file_count> rows_;
    std::array<std::size_t, file_count> place_{};  ///< Of those it has, among them.
    InOrder order_;  ///< What is kept of jobs until their turn, by their arrival.
    PackedJobs packed_jobs_;
    std::vector<std::optional<Kind>> kinds_;      ///< By what PackedJobs calls them.
    std::string text_;                            ///< What is kept of one job.
    SharedTimes times_;                           ///< Of the job whose rows are written.
    std::map<std::uint64_t, Placed> placements_;  ///< Of groups, by arrival.
    RejectedJobs rejected_;
    std::uint64_t first_rejected_ = std::numeric_limits<std::uint64_t>::max();  ///< Its arrival.
};

}  // namespace berth::experiments
