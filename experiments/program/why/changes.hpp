#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// One change with which the job would have started at that moment.
struct Change {
    std::string text;
    /// The largest part of any of the cluster's resources that it moves, in 2^-32; nothing for one
    /// that moves no amount.
    std::optional<std::int64_t> share;
    nlohmann::ordered_json what;  ///< `kind`, and what it says for programs.
    /// It takes more than half of what the job asks for: hardly anybody could do it.
    bool is_far = false;
};

/// Whether a job could hardly do with so much less: with less than half.
[[nodiscard]] constexpr bool is_far(std::int64_t amount, std::int64_t asked) {
    return amount < asked - amount;
}

/// Changes that were tried, each by making the same decision again: on the run as it is, or on a
/// copy with the change in it.
struct Changes {
    /// Smallest share first, then those that move no amount, then those that are far.
    std::vector<Change> found;
    std::vector<std::string> untried;  ///< What was not tried, and why.
};

/// Puts them in their order.
void sort_changes(std::vector<Change>& found);

[[nodiscard]] Changes find_changes(const sim::Turn& turn, const Finding& finding, Finder& finder);

/// The parts of find_changes(), one kind of change each.
namespace changes {

struct Question {
    const sim::Turn& turn;
    const Finding& finding;
    const std::vector<LevelRoom>& rooms;  ///< Of a group; empty for a single pod.
};
void ask_for_less(const Question& question, Changes& out);
void shorter_run(const Question& question, Changes& out);
void fewer_members(const Question& question, Changes& out);
void other_constraints(const Question& question, Changes& out);
void larger_quota(const Question& question, Changes& out);
void freed_amounts(const Question& question, Changes& out);
void others_leave(const Question& question, Changes& out);
void more_servers(const Question& question, Changes& out);
void earlier_turn(const Question& question, Changes& out);

}  // namespace changes

}  // namespace berth::experiments
