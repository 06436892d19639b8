#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/job/job_state.hpp"
#include "sim/profile/server_selector.hpp"

namespace berth::sim {

/// Orders the waiting jobs in place of a queue policy's ranks, with an order that the user wrote.
/// It is asked in each cycle and may go by anything that it sees then. Whether a job overtakes one
/// that finds no place is still up to the policy.
class QueueSorter {
public:
    QueueSorter() = default;
    virtual ~QueueSorter() = default;
    QueueSorter(const QueueSorter&) = delete;
    QueueSorter& operator=(const QueueSorter&) = delete;

    /// Puts the waiting jobs, of which there are at least two, into the order in which they are to
    /// be tried. They are given in the order in which they began to wait.
    virtual void sort(std::vector<JobId>& waiting) = 0;
    /// A job has ended. Afterwards another job may get its id.
    virtual void ended(JobId /*id*/) {}
};

class Actions;

/// Single decisions that code of the user makes in place of a profile's plug-ins. nullptr: the
/// profile decides.
struct ProfileHooks {
    std::unique_ptr<QueueSorter> queue;
    std::unique_ptr<ServerSelector> server;
};

/// Makes the hooks of a run. `see` outlives them.
using MakeProfileHooks = std::function<ProfileHooks(const Actions& see)>;

}  // namespace berth::sim
