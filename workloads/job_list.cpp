#include <algorithm>

#include "workloads/sources.hpp"

namespace berth::workloads {
namespace {

class JobList final : public sim::PodSource {
public:
    explicit JobList(std::vector<sim::Job> jobs) : jobs_(std::move(jobs)) {
        std::ranges::stable_sort(jobs_, {}, &sim::Job::submit);
    }
    std::optional<sim::Job> next() override {
        return at_ < jobs_.size() ? std::optional(std::move(jobs_[at_++])) : std::nullopt;
    }

private:
    std::vector<sim::Job> jobs_;
    std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<sim::PodSource> make_job_list(std::vector<sim::Job> jobs) {
    return std::make_unique<JobList>(std::move(jobs));
}

}  // namespace berth::workloads
