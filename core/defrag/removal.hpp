#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/defrag/room_state.hpp"

namespace berth::core {

/// Pods that leave a server, wherever they go.
struct Removal {
    std::int64_t gain = 0;  ///< How many more pods of the goal's shape fit without them.
    MoveCost cost;
    std::vector<std::uint32_t> pods;
};

/// For each gain that is possible on a server, a set of pods that gives at least it: the cheapest
/// one, if the server has few pods that may move; otherwise one that is found by taking the
/// cheapest pods first.
/// Order: by gain. Only gains up to `most` are looked for.
/// Cost:  O(2^pods) up to 10 pods that may move (5, with more than 64 servers), O(pods^2) for more.
[[nodiscard]] std::vector<Removal> removals(const RoomState& state,
                                            std::uint32_t server,
                                            std::int64_t most);

/// A lower bound of the cost of each gain, whatever else moves.
/// Shape: `pods` is empty.
[[nodiscard]] std::vector<Removal> least_removals(const RoomState& state,
                                                  std::uint32_t server,
                                                  std::int64_t most);

/// For each domain, what it costs at least to make it whole; nothing if it cannot become whole.
/// Cost: O(servers + pods).
[[nodiscard]] std::vector<std::optional<MoveCost>> least_clearings(const RoomState& state);

/// What it costs at least to reach the goal from here; nothing if it cannot be reached. For `most`,
/// 0. `enough`: bounds above this need not be exact.
/// Cost: as least_removals() of each server.
[[nodiscard]] std::optional<MoveCost> least_cost(const RoomState& state);

/// For `most`: an upper bound of the pods that fit after all moves that are left.
[[nodiscard]] std::int64_t most_value(const RoomState& state);

}  // namespace berth::core
