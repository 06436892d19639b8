#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/trace/trace_reader.hpp"

namespace berth::tests {

/// A trace without a file: it has the jobs that it was given.
class GivenTrace final : public workloads::TraceReader {
public:
    explicit GivenTrace(std::vector<workloads::TraceJob> jobs) : jobs_(std::move(jobs)) {}
    bool next(workloads::TraceJob& job) override {
        if (at_ == jobs_.size()) {
            return false;
        }
        job = jobs_[at_++];
        return true;
    }
    [[nodiscard]] std::uint64_t line() const override { return at_; }
    [[nodiscard]] const workloads::SkippedRows& skipped() const override { return skipped_; }
    [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

private:
    std::vector<workloads::TraceJob> jobs_;
    std::size_t at_ = 0;
    workloads::SkippedRows skipped_;
    std::vector<std::string> notes_;
};

/// A function that opens such a trace as often as it is called.
inline std::function<std::unique_ptr<workloads::TraceReader>()> opener(
    std::vector<workloads::TraceJob> jobs) {
    return [jobs = std::move(jobs)] { return std::make_unique<GivenTrace>(jobs); };
}

}  // namespace berth::tests
