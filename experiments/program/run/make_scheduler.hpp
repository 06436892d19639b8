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
    /// Whether next() gave a job when it was called last, or was not called yet. A run takes each
    /// job when the one before it comes.
    [[nodiscard]] bool has_more() const { return has_more_; }

private:
    std::unique_ptr<sim::PodSource> source_;
    bool has_more_ = true;
};

/// What makes the scheduler of one replication; nullptr: the settings' profile is all of it. What
/// it is given outlives it.
[[nodiscard]] sim::MakeScheduler make_scheduler(const ExperimentSpec& spec,
                                                const sim::Settings& settings,
                                                sim::RecordSink& sink,
                                                const WatchedSource& source,
                                                std::uint32_t replication,
                                                std::uint64_t seed);

/// Whether the code that an experiment names may run: a document alone never makes it run.
void allow_code(ExperimentSpec& spec, bool allowed);

/// `runs_python`: this process runs files of Python, too.
/// Errors: core::InputError at the scheduler's name where it is a file that this process would run,
///         and nobody allowed it.
void check_code(const ExperimentSpec& spec, bool runs_python = false);

/// What alone can run an experiment that this program cannot, in words: `Python, with the code of
/// FILE`; empty: this program can.
[[nodiscard]] std::string only_runner(const ExperimentSpec& spec);

/// Errors: as check_code(); core::InputError at the scheduler's name where nobody here can make it.
void check_scheduler(const ExperimentSpec& spec);

}  // namespace berth::experiments
