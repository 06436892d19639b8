#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/job/job_state.hpp"
#include "sim/profile/server_selector.hpp"

namespace berth::sim {

/// Orders the jobs that wait in the place of a queue policy's ranks, where somebody else wrote the
/// order. It is asked anew at each cycle, and may go by anything that it sees then. Whether a job
/// overtakes one that finds no place remains the policy's.
class QueueSorter {
public:
    QueueSorter() = default;
    virtual ~QueueSorter() = default;
    QueueSorter(const QueueSorter&) = delete;
    QueueSorter& operator=(const QueueSorter&) = delete;

    /// Puts the jobs that wait, of which there are two or more, into the order in which they are to
    /// be tried. They come in the order in which they came to wait.
    virtual void sort(std::vector<JobId>& waiting) = 0;
    /// A job has ended. Afterwards another job may get its number.
    virtual void ended(JobId /*id*/) {}
};

class Actions;

/// Single decisions that somebody else makes in the place of a profile's plug-ins. nullptr: the
/// profile does.
struct ProfileHooks {
    std::unique_ptr<QueueSorter> queue;
    std::unique_ptr<ServerSelector> server;
};

/// Makes those of a run. What it is given outlives them.
using MakeProfileHooks = std::function<ProfileHooks(const Actions& see)>;

}  // namespace berth::sim
