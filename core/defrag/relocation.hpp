#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/defrag/room_state.hpp"

namespace berth::core {

/// Finds places for pods that leave their servers, and moves them there.
///
/// Cost: O(servers) to look for a place, once for all pods of one kind until something moves. With
///       more than 64 servers, it also asks once for all pods of one kind whether others can make
///       room for them, so that it may miss a way that is open for one of them alone; if the goal
///       is `most`, no others make room there.
class Relocation {
public:
    /// The state outlives it.
    explicit Relocation(RoomState& state);

    /// `counts`: by domain, whether room there counts; pods are kept from servers where they would
    /// take such room. At first, all count.
    void set_counts(std::vector<bool> counts) { counts_ = std::move(counts); }
    /// From now on, no pod goes to this server; or some may again.
    void close(std::uint32_t server, bool closed);
    /// Moves all of these pods, the largest first.
    /// Returns: whether all of them found a place; if not, nothing has moved.
    [[nodiscard]] bool move_all(std::vector<std::uint32_t> pods);

private:
    /// What is known of the pods of one kind, in one version of the state.
    struct NoPlace {
        std::optional<std::uint64_t> version;
        std::vector<std::uint32_t> not_asked;  ///< Servers that were closed then.
    };
    struct NoWay {
        std::optional<std::uint64_t> version;
        std::size_t others = 0;  ///< How many pods were tried that could make room.
    };
    [[nodiscard]] std::optional<std::uint32_t> place_for(std::uint32_t pod);
    [[nodiscard]] std::optional<std::uint32_t> best_of(std::uint32_t pod,
                                                       std::span<const std::uint32_t> servers);
    [[nodiscard]] bool move_one(std::uint32_t pod, std::size_t most_others);
    [[nodiscard]] bool move_with_others(std::uint32_t pod, std::size_t most_others);
    [[nodiscard]] std::vector<std::uint32_t> who_could_make_room(std::uint32_t pod,
                                                                 std::size_t most) const;
    [[nodiscard]] bool could_fit_without(std::uint32_t pod,
                                         std::uint32_t server,
                                         std::uint32_t other) const;
    [[nodiscard]] std::int64_t harm(std::uint32_t pod, std::uint32_t server);

    RoomState& state_;
    std::vector<bool> counts_;
    std::vector<std::uint32_t> servers_;  ///< All of them.
    std::vector<bool> is_closed_;
    std::vector<std::uint32_t> closed_;
    std::vector<std::uint32_t> kinds_;  ///< The kind of each pod: pods of a kind ask for the same.
    std::vector<NoPlace> no_place_;     ///< What is known of each kind.
    std::vector<NoWay> no_way_;
    std::vector<std::uint32_t> leaving_;  ///< Pods that are to find a place now.
};

}  // namespace berth::core
