#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// A change with which the job would have started at that moment.
struct Change {
    std::string text;
    /// The largest share of any of the cluster's resources that the change moves, in units of
    /// 2^-32; nothing for a change that moves no amount.
    std::optional<std::int64_t> share;
    nlohmann::ordered_json what;  ///< The `kind` of the change, and its details for programs.
    /// The change takes away more than half of what the job asks for, which is hardly ever
    /// acceptable.
    bool is_far = false;
};

/// Whether this amount is less than half of what the job asks for, with which it can hardly do.
[[nodiscard]] constexpr bool is_far(std::int64_t amount, std::int64_t asked) {
    return amount < asked - amount;
}

/// The changes that were tried. For each, the same decision was made again, on the run as it is or
/// on a copy with the change.
struct Changes {
    /// The smallest share comes first, then changes that move no amount, then those that are far.
    std::vector<Change> found;
    std::vector<std::string> untried;  ///< The changes that were not tried, and why.
};

/// Sorts changes into that order.
void sort_changes(std::vector<Change>& found);

[[nodiscard]] Changes find_changes(const sim::Turn& turn, const Finding& finding, Finder& finder);

/// The parts of find_changes(), each for one kind of change.
namespace changes {

struct Question {
    const sim::Turn& turn;
    const Finding& finding;
    /// The room of a group at each level; empty for a single pod.
    const std::vector<LevelRoom>& rooms;
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
