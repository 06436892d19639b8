#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::core::rounds {

/// GPUs that a job has on one server.
struct Place {
    std::uint32_t server = 0;
    std::int32_t gpus = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

/// The GPUs of servers of one size while jobs are placed one after the other, beginning with a
/// cluster in which nothing runs.
///
/// Order: a job that fits into one server gets the first one with as many free GPUs; any other gets
///        the first servers that are wholly free, all of their GPUs but for the last server, where
///        it gets what is left of its number.
/// Cost:  to take: O(servers / 64) over all jobs of one size between resets, and O(size) each. To
///        reset: O(size x servers / 64).
class ServerPlaces {
public:
    /// `free`: the GPUs of each server that jobs may have, at most `size`, which is at least 1.
    ServerPlaces(const std::vector<std::int32_t>& free, std::int32_t size);

    /// Nothing runs any more.
    void reset() { now_ = empty_; }
    /// Adds the places of a job to `places`, or returns false and changes nothing if it does not
    /// fit.
    bool take(std::int32_t gpus, std::vector<Place>& places);
    /// Whether a job would get places now.
    [[nodiscard]] bool fits(std::int32_t gpus);
    [[nodiscard]] std::int64_t free() const { return now_.free_gpus; }
    [[nodiscard]] std::int64_t all() const { return empty_.free_gpus; }

private:
    struct State {
        std::vector<std::int32_t> free;
        /// For each number from 1 to `size`, a bit for each server with at least as many free GPUs:
        /// one row of words after the other.
        std::vector<std::uint64_t> at_least;
        std::vector<std::size_t> first;  ///< In each row, all words before this one are 0.
        std::int64_t free_gpus = 0;
        std::int64_t whole_servers = 0;
    };

    /// The first server with at least so many free GPUs; the number of servers if there is none.
    [[nodiscard]] std::size_t first_with(std::int32_t gpus);
    void take_on(std::size_t server, std::int32_t gpus, std::vector<Place>& places);

    std::int32_t size_;
    std::size_t words_;
    State empty_;
    State now_;
};

}  // namespace berth::core::rounds
