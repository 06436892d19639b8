#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/defrag/relocation.hpp"
#include "core/defrag/removal.hpp"
#include "core/defrag/room_state.hpp"

namespace berth::core {

/// Makes room for pods of the goal's shape on some servers, server by server: each time, the pods
/// leave whose moves cost the least for each pod that fits instead.
///
/// Cost: removals() of each server once, and again of servers that pods left or went to; then
///       O(log(options)) for each try, in addition to Relocation::move_all().
class Filling {
public:
    /// `servers`: those on which room counts, in order. All arguments outlive it.
    Filling(RoomState& state, Relocation& relocation, const std::vector<std::uint32_t>& servers);

    /// The servers whose first option is cheapest for what it gains.
    /// Returns: positions among the servers.
    [[nodiscard]] std::vector<std::size_t> first_servers() const;

    /// Makes room until the goal is reached, or, for `most`, until no more is found. It begins with
    /// `first` if that is possible, and gives up once the moves cost as much as `most`.
    [[nodiscard]] bool run(std::optional<std::size_t> first, std::optional<MoveCost> most);

private:
    using Option = std::pair<std::size_t, std::size_t>;  ///< A server's position, and its option.

    void look_at(std::size_t position);
    [[nodiscard]] bool is_better(const Removal& a, const Removal& b) const;
    [[nodiscard]] bool comes_later(const Option& a, const Option& b) const;
    void order_options();
    [[nodiscard]] std::optional<Option> next();
    bool take(const Option& option);
    [[nodiscard]] std::vector<std::size_t> touched_since(std::size_t moves) const;

    RoomState& state_;
    Relocation& relocation_;
    const std::vector<std::uint32_t>& servers_;
    std::int64_t have_ = 0;
    std::int64_t wanted_ = 0;
    std::vector<std::int64_t> copies_;  ///< How many pods fit now on each server.
    std::vector<std::vector<Removal>> options_;
    bool is_ordered_ = false;  ///< Whether `order_` is a heap of the options of this state.
    std::vector<Option> order_;
};

}  // namespace berth::core
