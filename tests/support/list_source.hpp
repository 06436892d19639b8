#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sim/job/job.hpp"

namespace berth::tests {

/// Jobs in the given order; their submit times must not decrease.
class ListSource final : public sim::PodSource {
public:
    explicit ListSource(std::vector<sim::Job> jobs) : jobs_(std::move(jobs)) {}
    std::optional<sim::Job> next() override {
        return at_ < jobs_.size() ? std::optional(jobs_[at_++]) : std::nullopt;
    }

private:
    std::vector<sim::Job> jobs_;
    std::size_t at_ = 0;
};

}  // namespace berth::tests
