#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/block_list.hpp"
#include "sim/clock/window.hpp"
#include "sim/measure/job_kind.hpp"
#include "sim/measure/times.hpp"
#include "sim/meter/censored_sample.hpp"

namespace berth::sim {

/// How long the jobs that the window counts, and their pods, waited and took: all that metrics of
/// waits, completion times and slowdowns are made of. Jobs that already ran when the run began do
/// not count, because their time of submission is not known. Up to jobs_max jobs have a row each,
/// in the order of arrival, and what is asked is worked out from the rows. Of more jobs, only
/// samples are kept, which count in buckets.
///
/// Cost: O(1) per job, besides its members that differ and the look-up of its labels; 32 bytes per
///       job while there are rows.
class JobTimes {
public:
    static constexpr std::size_t jobs_max = CensoredSample::values_max;

    /// Whether each pod counts once, each job counts once, or each job counts once for each GPU
    /// that it asks for.
    enum class By : std::uint8_t { pod, job, gpu };

    /// The jobs of one trait that have one label.
    struct Kind {
        std::string label;
        std::uint64_t jobs = 0;
        /// All jobs have this label: the samples here are empty, and those of By::job apply.
        bool is_everybody = false;
        CensoredSample wait;
        CensoredSample bounded_slowdown;
    };
    using Labels = std::array<std::string, job_trait_count>;

    JobTimes(const core::Topology& tree, Window window);

    /// A job arrives. To be called for each job, in the order of arrival.
    void submitted(const Job& job);
    /// The record of a job is complete. Calls may come in any order. `now` matters only for a job
    /// that waits or runs.
    void recorded(const JobRecord& record, SimTime now);

    [[nodiscard]] CensoredSample sample(By by, TimeStatistic statistic) const;
    /// Adds the mean of a sample and its percentiles in `thousandths`, out of 500, 950, 990 and
    /// 1000. Equal statistics are worked out once until the next job is recorded: for example, if
    /// all pods are jobs of their own, the statistics of pods are those of jobs.
    void add_statistics(std::vector<Metric>& out,
                        const std::string& prefix,
                        By by,
                        TimeStatistic statistic,
                        const std::vector<int>& thousandths) const;
    /// The kinds of a trait in the order of their labels; if there are more labels than a person
    /// could read, those with the most jobs. Where there are only samples, those that had the most
    /// among the first jobs.
    [[nodiscard]] std::vector<Kind> kinds(JobTrait trait) const;
    /// A job's label for each trait.
    [[nodiscard]] Labels labels_of(const Job& job) const;
    [[nodiscard]] bool keeps_samples_only() const { return samples_.has_value(); }
    [[nodiscard]] bool has_gpus() const { return gpu_.has_value(); }

private:
    static constexpr std::uint32_t nobody = 0xffff'ffff;

    /// What distinguishes jobs by their traits and GPUs.
    struct Likeness {
        std::array<std::uint32_t, job_trait_count> labels{};
        std::int64_t gpu_milli = 0;
        friend auto operator<=>(const Likeness&, const Likeness&) = default;
    };
    /// Takes 32 bytes, because there may be a million.
    class Row {
    public:
        Row() = default;
        Row(const Times& times, std::uint32_t likeness);
        [[nodiscard]] Times times() const;
        [[nodiscard]] bool has_ended() const { return likeness_ != nobody; }
        [[nodiscard]] std::uint32_t likeness() const { return likeness_; }
        /// The number of pods that have the same times; 0: see pods_.
        [[nodiscard]] core::Members alike() const { return rest_ >> state_bits; }
        [[nodiscard]] bool set_alike(core::Members pods);

    private:
        static constexpr unsigned state_bits = 5;

        SimTime wait_{};
        SimTime completion_{};
        SimTime run_{};
        std::uint32_t likeness_ = nobody;
        std::uint32_t rest_ = 0;  ///< The states of Times, and above them the number of pods.
    };
    struct Pods {
        std::uint64_t arrival = 0;
        Times times;
        core::Members count = 0;
    };
    using Samples = std::array<std::array<CensoredSample, time_statistic_count>, 3>;

    [[nodiscard]] std::string size_label(std::int64_t gpu_milli, core::Members pods) const;
    [[nodiscard]] std::int64_t gpu_milli_of(const Job& job) const;
    [[nodiscard]] std::uint32_t likeness_of(const Job& job);
    [[nodiscard]] std::uint32_t label_index(JobTrait trait, const std::string& label);
    /// Calls `visit(times, count)` for the members of a job, once for each run of equal members.
    template <class Visit>
    void each_alike(const JobRecord& record, SimTime now, const Times& job, Visit visit) const;
    template <class Visit>
    void each_row_of_pods(Visit visit) const;
    [[nodiscard]] std::vector<Pods> pods_by_arrival() const;
    [[nodiscard]] bool pods_are_jobs() const { return pods_.empty() && all_are_single_; }
    [[nodiscard]] std::vector<Kind> most_common(JobTrait trait) const;
    void keep_samples_only();
    void count_job(const Times& times, const Likeness& likeness);

    Window window_;
    std::optional<std::size_t> gpu_;  ///< Index in the schema; nothing in a cluster without GPUs.
    core::Amount per_gpu_ = 1;
    std::array<std::map<std::string, std::uint32_t>, job_trait_count> labels_;
    std::map<Likeness, std::uint32_t> likenesses_;
    std::vector<Likeness> by_number_;              ///< The same likenesses, by their numbers.
    std::vector<std::uint64_t> jobs_of_likeness_;  ///< Ended jobs of each likeness, by its number.
    /// The likeness that was asked for last, and what it was asked for.
    struct Last {
        Label quota;
        Label user;
        Label job_class;
        std::int64_t gpu_milli = 0;
        core::Members pods = 0;
        std::uint32_t number = 0;
    };
    std::optional<Last> last_;

    std::uint64_t before_rows_ = 0;  ///< How many jobs arrived before the job of the first row.
    core::BlockList<Row> rows_;      ///< The rows of jobs, by arrival.
    std::vector<Pods> pods_;         ///< Pods of jobs whose pods differ from the job, in order of
                                     ///< the ends of the jobs.
    std::size_t jobs_ = 0;           ///< Jobs with rows that have ended.
    bool all_are_single_ = true;     ///< Each of these jobs has one pod, with the job's times.
    /// The mean and all percentiles of what was already asked for, named without a prefix.
    mutable std::map<std::pair<By, TimeStatistic>, std::vector<Metric>> known_;

    std::optional<Samples> samples_;  ///< Samples by `By` and statistic; used once nothing else is
                                      ///< kept.
    /// The same for some labels, by trait and by the number of the label.
    std::array<std::map<std::uint32_t, Kind>, job_trait_count> kinds_;
};

}  // namespace berth::sim
