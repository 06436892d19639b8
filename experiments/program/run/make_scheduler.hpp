#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/job/job.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::experiments {

/// A source of jobs that remembers whether its last job has been taken.
class WatchedSource final : public sim::PodSource {
public:
    explicit WatchedSource(std::unique_ptr<sim::PodSource> source) : source_(std::move(source)) {}

    std::optional<sim::Job> next() override {
        std::optional<sim::Job> job = source_->next();
        has_more_ = job.has_value();
        return job;
    }
    /// Whether the last call of next() returned a job; true before the first call. A run takes each
    /// job when the one before it arrives.
    [[nodiscard]] bool has_more() const { return has_more_; }

private:
    std::unique_ptr<sim::PodSource> source_;
    bool has_more_ = true;
};

/// The function that makes the scheduler of one replication; nullptr: the profile of the settings
/// is the whole scheduler. The arguments outlive it.
[[nodiscard]] sim::MakeScheduler make_scheduler(const ExperimentSpec& spec,
                                                const sim::Settings& settings,
                                                sim::RecordSink& sink,
                                                const WatchedSource& source,
                                                std::uint32_t replication,
                                                std::uint64_t seed);

/// Sets whether code that an experiment names may run. A document alone never makes it run.
void allow_code(ExperimentSpec& spec, bool allowed);

/// Checks that the experiment's code may run. `runs_python`: this process also runs Python files.
/// Errors: core::InputError at the scheduler's name if it is a file that this process would run
///         without permission.
void check_code(const ExperimentSpec& spec, bool runs_python = false);

/// The only program that can run an experiment that this one cannot, in words: `Python, with the
/// code of FILE`; empty: this program can run it.
[[nodiscard]] std::string only_runner(const ExperimentSpec& spec);

/// Errors: as check_code(); core::InputError at the scheduler's name if this program cannot make
///         it.
void check_scheduler(const ExperimentSpec& spec);

}  // namespace berth::experiments
