#pragma once

#include <optional>
#include <vector>

#include "schedulers/kai/decide/job.hpp"

namespace berth::core::kai {

class Session;

/// Whether a job is served before another one of its queue.
[[nodiscard]] bool is_served_before(const Job& a, const Job& b, const std::vector<Pod>& pods);

/// The jobs with pods that wait, by their queue, which has no children. They are kept in order from
/// one search for victims to the next, so that each search sorts only jobs that have changed.
class WaitingJobs {
public:
    struct Leaf {
        std::vector<Job*> served;    ///< In the order in which they are served.
        std::vector<Job*> by_index;  ///< The same jobs.
    };

    /// All jobs are new.
    void start(std::size_t queues, std::size_t jobs);
    /// A pod of a job has changed its status.
    void touch(JobIndex job);
    /// Brings the jobs that were touched to where they belong.
    /// Cost: O(jobs of the queue) for each of them that is in another place than before.
    void refresh(Session& session);
    [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }

private:
    std::vector<Leaf> leaves_;  ///< By queue.
    std::vector<std::optional<int>>
        standing_;  ///< By job: the elastic state with which it is there.
    std::vector<JobIndex> touched_;
    std::vector<bool> is_touched_;
};

}  // namespace berth::core::kai
