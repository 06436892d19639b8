#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/tree/ids.hpp"
#include "sim/clock/optional_time.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

/// Some members of a job on one server, from `start` until `end`.
struct PastPlace {
    core::ServerId server;
    core::Members members = 0;
    sim::SimTime start{};
    sim::OptionalTime end;
};

/// What is known of one job.
///
/// Units: times on the clock of the past, in which the present may be any instant.
struct PastJob {
    sim::Job job;
    sim::OptionalTime start{};  ///< The last start.
    sim::OptionalTime end{};    ///< When it was over.
    bool finished = false;      ///< Whether it was over because its work was done, or at its limit.
    /// Where it ran; empty if nobody knows: it then ran from `start` on.
    std::vector<PastPlace> places{};
    bool proposed = false;  ///< Nobody has submitted it yet.
    bool dated = true;      ///< Whether anything tells when it was submitted.

    /// The time that its run time is a multiple of: its limit, or one hour if it has none.
    sim::SimTime limit{};
    bool has_limit = false;
    std::uint32_t user = 0;   ///< The number of its user, or else of its namespace or quota.
    std::uint32_t shape = 0;  ///< The number of its size, demand and limit among all users' jobs.

    [[nodiscard]] bool has_come(sim::SimTime now) const { return job.submit <= now; }
    [[nodiscard]] bool is_over(sim::SimTime now) const { return end && *end <= now; }
    /// Since when it runs; nothing if it does not run then.
    [[nodiscard]] sim::OptionalTime runs_since(sim::SimTime now) const;
    [[nodiscard]] bool runs(sim::SimTime now) const { return runs_since(now).has_value(); }
    [[nodiscard]] bool waits(sim::SimTime now) const {
        return has_come(now) && !is_over(now) && !runs(now);
    }
    /// How long a job that runs has run since its last start.
    [[nodiscard]] sim::SimTime ran(sim::SimTime now) const { return now - *runs_since(now); }
    /// Whether jobs like it come at the time of day at which it came.
    [[nodiscard]] bool comes_again() const { return dated && !proposed; }
    /// A run time as a multiple of the limit.
    [[nodiscard]] double ratio(sim::SimTime run_time) const {
        return static_cast<double>(run_time.count()) / static_cast<double>(limit.count());
    }
    /// Sets what follows from the estimate of the job.
    void set_limit();
};

/// A part of the cluster that was out.
struct PastOutage {
    core::NodeId node;  ///< It was out with everything below it.
    sim::SimTime from{};
    sim::OptionalTime until;
};

/// Jobs in the order in which they were submitted.
class Past {
public:
    /// Numbers users and shapes. The order of jobs that were submitted at one instant is kept.
    explicit Past(std::vector<PastJob> jobs, std::vector<PastOutage> outages = {});

    [[nodiscard]] const std::vector<PastJob>& jobs() const { return jobs_; }
    [[nodiscard]] const std::vector<PastOutage>& outages() const { return outages_; }
    /// How many shapes there are: the number of a further one.
    [[nodiscard]] std::uint32_t shapes() const { return shapes_; }
    [[nodiscard]] const std::string& user(std::uint32_t number) const { return *names_[number]; }
    /// The first and the last instant at which a job came.
    [[nodiscard]] sim::SimTime first() const { return jobs_.front().job.submit; }
    [[nodiscard]] sim::SimTime last() const { return jobs_.back().job.submit; }

private:
    std::vector<PastJob> jobs_;
    std::vector<PastOutage> outages_;
    std::uint32_t shapes_ = 0;
    std::map<std::string, std::uint32_t> users_;
    std::vector<const std::string*> names_;
};

}  // namespace berth::experiments
