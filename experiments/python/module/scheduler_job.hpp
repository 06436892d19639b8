#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/python/module/seen_jobs.hpp"

namespace berth::python {

/// A job as a scheduler in Python sees it. It leaves out what a user would not tell, such as the
/// duration. After the job's end it keeps its last values.
class SchedulerJob {
public:
    SchedulerJob(std::shared_ptr<const SeenJobs> jobs, sim::JobId id);

    [[nodiscard]] sim::JobId id() const { return id_; }
    /// Whether the job belongs to this run. In another run, the same job number means another job.
    [[nodiscard]] bool is_of(const SeenJobs& jobs) const { return jobs_.get() == &jobs; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::string& user() const { return user_; }
    [[nodiscard]] const std::string& quota() const { return quota_; }
    [[nodiscard]] const std::string& type() const { return type_; }
    [[nodiscard]] std::int32_t priority() const { return priority_; }
    [[nodiscard]] bool is_group() const { return group_; }
    [[nodiscard]] double submit() const { return submit_; }
    [[nodiscard]] std::optional<double> estimate() const { return estimate_; }
    [[nodiscard]] core::Members min_available() const { return min_available_; }
    [[nodiscard]] core::Members size() const;
    /// Its last start, in seconds; nothing while it waits.
    [[nodiscard]] std::optional<double> start() const;
    /// The job's servers by index, and how many members run on each.
    [[nodiscard]] std::vector<std::pair<std::uint32_t, core::Members>> placement() const;
    /// An array of the amounts that one pod of the job asks for, in the amounts of View.free.
    [[nodiscard]] pybind11::object demand();
    [[nodiscard]] bool has_ended() const { return ended_; }
    void end() { ended_ = true; }

private:
    SchedulerJob(const sim::Job& job, std::shared_ptr<const SeenJobs> jobs, sim::JobId id);

    std::shared_ptr<const SeenJobs> jobs_;
    sim::JobId id_;
    std::string name_;
    std::string user_;
    std::string quota_;
    std::string type_;
    std::int32_t priority_;
    bool group_;
    double submit_;
    std::optional<double> estimate_;
    core::Members min_available_;
    core::Members size_;
    std::vector<core::Amount> amounts_;
    pybind11::object demand_;
    bool ended_ = false;
};

}  // namespace berth::python
