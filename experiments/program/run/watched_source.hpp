#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "sim/job/job.hpp"

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

}  // namespace berth::experiments
