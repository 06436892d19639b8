#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/defrag/exact_moves.hpp"
#include "core/defrag/move_problem.hpp"
#include "experiments/program/defrag/read_state.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What moves are to achieve. Either `job`, `whole`, or `budget` alone or with `job`.
struct DefragQuestion {
    std::string job;  ///< The name of a waiting job; empty: that of the file, or none.
    std::optional<std::int64_t> whole;   ///< How many domains shall become whole.
    std::string level;                   ///< The level of these domains.
    std::optional<std::int64_t> budget;  ///< The most moves.
    std::optional<std::int64_t>
        gpus;  ///< The GPUs of a pod that shall fit; without it, those of a whole server.
    sim::SimTime at{};
    std::uint32_t replication = 0;
    std::uint64_t states_max = core::SearchLimits{}.states_max;
};

/// A move in the words of the cluster.
struct NamedMove {
    std::string pod;
    std::string from;
    std::string to;
    core::Amount amount = 0;  ///< What it holds of the resource that is counted.
    std::int64_t loses =
        0;  ///< The work that its job loses, in milliseconds of one unit of the resource.
};

/// A server, or another node, and the pods that fit on it after the moves.
struct RoomOn {
    std::string name;
    std::int64_t pods = 0;
};

/// What a pod holds of the resource that is counted, on a server that is shown.
struct HeldBy {
    std::string pod;
    core::Amount amount = 0;
    std::size_t move = 0;  ///< The number of its move, from 1; 0: it stays.
};

/// A server that pods leave or go to, or where there is room after the moves.
struct ShownServer {
    std::string name;
    core::Amount capacity = 0;
    std::vector<HeldBy> before;
    std::vector<HeldBy> after;
    bool has_room = false;  ///< Whether what was asked for fits there after the moves.
};

struct DefragAnswer {
    core::MovePlan plan;
    core::RoomGoal goal;
    std::string what;       ///< What is to fit: the name of the job.
    bool several = false;   ///< Whether these are several jobs.
    std::string resource;   ///< What is counted: `GPU` or `CPU`.
    core::Amount unit = 1;  ///< The amount that is one GPU or CPU.
    std::vector<NamedMove> moves;
    std::int64_t loses = 0;  ///< The sum of what the moves lose.
    std::vector<RoomOn> room;
    std::vector<ShownServer> servers;
    std::string level;  ///< The level of the domains.
    /// If the goal is not reached: for how many pods, or domains, moves make room at most, and how
    /// much of the resource is free.
    std::int64_t nearest = 0;
    core::Amount free = 0;
    core::Amount largest = 0;  ///< How much of the resource the largest server has.
    bool may_search = false;  ///< Whether the cluster is small enough to be searched for all plans.
};

/// Answers a question about a state.
/// Returns: nothing if it was interrupted.
/// Errors:  core::InputError for an unknown job or level, and for a run that ends before.
[[nodiscard]] std::optional<DefragAnswer> answer_defrag(const AskedState& state,
                                                        const DefragQuestion& question,
                                                        sim::RunControl& control);

/// The answer in lines, and in the form of docs/reference/defrag.md.
[[nodiscard]] std::string defrag_text(const DefragAnswer& answer);
[[nodiscard]] nlohmann::ordered_json defrag_json(const DefragAnswer& answer);

}  // namespace berth::experiments
