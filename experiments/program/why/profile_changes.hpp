#pragma once

#include <vector>

#include "experiments/program/why/finding.hpp"
#include "experiments/program/why/search.hpp"

namespace berth::experiments {

/// Changes with which a profile's scheduler would have started the job at that moment. `rooms`: the
/// room of a group at each level; empty for a single pod.
[[nodiscard]] Changes find_changes(const sim::Turn& turn,
                                   const Finding& finding,
                                   const std::vector<LevelRoom>& rooms);

/// The parts of find_changes() that are more than changes of the job.
namespace changes {

struct Question {
    const sim::Turn& turn;
    const Finding& finding;
    const std::vector<LevelRoom>& rooms;
    Search& search;
};
void larger_quota(const Question& question);
void freed_amounts(const Question& question);
void others_leave(const Question& question);
void more_servers(const Question& question);
void earlier_turn(const Question& question);

}  // namespace changes

}  // namespace berth::experiments
