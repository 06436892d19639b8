#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/job/stretch.hpp"
#include "sim/measure/job_gains.hpp"
#include "sim/measure/job_kind.hpp"
#include "sim/meter/censored_sample.hpp"

namespace berth::sim {

/// Waits, completion times and slowdowns by job: a group counts once, however many members it has.
/// Names and meanings: docs/reference/metrics.md, "Jobs".
class JobMetrics {
public:
    /// Counts the jobs that are submitted in the window. A run that Settings::tells_gain() has
    /// what they made of their time by kind, too.
    JobMetrics(const core::Topology& tree, Window window, bool tells_gain);

    /// Takes in a job at the time of its record; `now` matters for one that waits or runs.
    void job(const JobRecord& record, SimTime now);
    /// As Meter has it, in a run that tells_gain().
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);
    /// The run is over.
    void finish(SimTime now);
    /// The metrics of all jobs, by job and, in a cluster with GPUs, by GPU.
    void add_to(std::vector<Metric>& out) const;
    /// The kinds by trait, then by label in the order of the names. If a trait has more labels than
    /// a person could read, only those with the most jobs.
    [[nodiscard]] std::vector<JobKind> kinds() const;

private:
    /// A time in a job's life: it ended, still goes on, or was given up with the job.
    struct Span {
        enum class State : std::uint8_t { none, ended, going_on, given_up } state = State::none;
        double value = 0;
    };
    struct Entry {
        Span wait_s;
        Span jct_s;
        Span bounded_slowdown;
        std::int64_t gpu_milli = 0;
        std::array<std::uint32_t, job_trait_count> labels{};
        bool never_started = false;
    };
    /// The jobs of one kind as samples.
    struct Samples {
        CensoredSample wait_s;
        CensoredSample jct_s;
        CensoredSample bounded_slowdown;
        void add(const Entry& entry, std::int64_t weight);
    };
    [[nodiscard]] std::string size_label(std::int64_t gpu_milli, core::Members pods) const;
    [[nodiscard]] std::uint32_t label_index(JobTrait trait, const std::string& label);
    [[nodiscard]] std::vector<std::pair<std::string, std::uint32_t>> most_common(
        std::size_t trait, const std::vector<std::vector<const Entry*>>& of_label) const;

    Window window_;
    std::optional<std::size_t> gpu_;  ///< In the schema; nothing in a cluster without GPUs.
    core::Amount per_gpu_ = 1;
    std::vector<Entry> entries_;  ///< In the order of arrival.
    std::array<std::map<std::string, std::uint32_t>, job_trait_count> labels_;
    std::optional<JobGains> gains_;
};

/// Below this run time a slowdown says more about the job than about the wait.
inline constexpr double bounded_slowdown_threshold_s = 10;

}  // namespace berth::sim
