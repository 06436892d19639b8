#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace berth::sim {

/// Finds who of some candidates has to be gone so that something has room.
///
/// The candidates are numbered in the order in which they go. They go in this order until it is
/// enough; then those who can stay after all come back, who would go last first. Half of those who
/// are left to ask about are asked about together, as most of them can stay.
///
/// Returns: nothing where it is not enough that all are gone; all are back then. Otherwise, nobody
///          of those who are gone could come back alone, if more room is never worse.
/// Cost:    O(victims x log(candidates)) questions whether it is enough, or O(log(candidates)) if
///          it never is; besides them, each candidate goes and comes back O(log(candidates)) times.
class VictimSearch {
public:
    struct Questions {
        std::function<void(std::size_t candidate, bool gone)> set_gone;
        std::function<bool()> enough;
    };
    explicit VictimSearch(Questions questions) : questions_(std::move(questions)) {}

    /// All candidates are there. Returns those who are gone now, in their order.
    [[nodiscard]] std::optional<std::vector<std::size_t>> find(std::size_t candidates);

private:
    void set_gone(std::size_t begin, std::size_t end, bool gone);
    void spare(std::size_t begin, std::size_t end);

    Questions questions_;
    std::vector<std::size_t> victims_;  ///< So far, the last first.
};

}  // namespace berth::sim
