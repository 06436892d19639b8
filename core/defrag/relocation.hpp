#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/defrag/room_state.hpp"

namespace berth::core {

/// Finds places for pods that leave their servers, and moves them there.
class Relocation {
public:
    /// `counts`: by domain, whether room there counts; pods are kept from servers where they would
    /// take such room. Both outlive it.
    Relocation(RoomState& state, const std::vector<bool>& counts)
        : state_(state), counts_(counts), closed_(state.problem().servers(), false) {}

    /// From now on, no pod goes to this server; or some may again.
    void close(std::uint32_t server, bool closed) { closed_[server] = closed; }
    /// Moves all of these pods, the largest first.
    /// Returns: whether all of them found a place; if not, nothing has moved.
    [[nodiscard]] bool move_all(std::vector<std::uint32_t> pods);

private:
    [[nodiscard]] std::optional<std::uint32_t> place_for(std::uint32_t pod);
    [[nodiscard]] bool move_one(std::uint32_t pod, std::size_t most_others);
    [[nodiscard]] std::vector<std::uint32_t> who_could_make_room(std::uint32_t pod,
                                                                 std::size_t most) const;
    [[nodiscard]] bool could_fit_without(std::uint32_t pod,
                                         std::uint32_t server,
                                         std::uint32_t other) const;
    [[nodiscard]] std::int64_t harm(std::uint32_t pod, std::uint32_t server);
    void undo_to(std::size_t moves);

    RoomState& state_;
    const std::vector<bool>& counts_;
    std::vector<bool> closed_;
    std::vector<std::uint32_t> leaving_;  ///< Pods that are to find a place now.
};

}  // namespace berth::core
