#pragma once

#include <functional>
#include <memory>

#include "sim/profile/server_selector.hpp"
#include "sim/queue/queue_sorter.hpp"

namespace berth::sim {

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
