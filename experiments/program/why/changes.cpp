#include "experiments/program/why/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/program/why/trial.hpp"

namespace berth::experiments {

void sort_changes(std::vector<Change>& found) {
    std::ranges::stable_sort(found, {}, [](const Change& change) {
        return std::pair(change.is_far, change.share.value_or(INT64_MAX));
    });
}

Changes find_changes(const sim::Turn& turn, const Finding& finding, Finder& finder) {
    Changes out;
    const sim::Job& job = turn.record.job;
    if (turn.held_up_by != nullptr) {
        if (lets_in_as(turn, job)) {
            out.found.push_back(
                {"it stands before all others in the queue", std::nullopt, {{"kind", "first"}}});
        }
        out.untried.emplace_back(
            "no change of the job or the cluster is tried while the queue's policy holds it up");
        return out;
    }
    const std::vector<LevelRoom> rooms = job.group ? finder.rooms(turn) : std::vector<LevelRoom>();
    const changes::Question question{turn, finding, rooms};
    changes::ask_for_less(question, out);
    changes::shorter_run(question, out);
    changes::fewer_members(question, out);
    changes::larger_quota(question, out);
    changes::freed_amounts(question, out);
    changes::others_leave(question, out);
    changes::more_servers(question, out);
    changes::other_constraints(question, out);
    changes::earlier_turn(question, out);
    sort_changes(out.found);
    return out;
}

}  // namespace berth::experiments
