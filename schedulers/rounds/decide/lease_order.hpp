#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedulers/rounds/decide/active_jobs.hpp"

namespace berth::core::rounds {

/// Turns shares of time into an order for the next round: the job comes first that has had the
/// least time for its share. What jobs lacked when the books were opened anew is remembered.
///
/// Source: Gavel (OSDI 2020), "round-based scheduling", as the Shockwave artifact has it.
class LeaseOrder {
public:
    /// Each job is taken to have had `head_start` when it came, and after each reset.
    explicit LeaseOrder(std::chrono::nanoseconds head_start) : head_start_(head_start) {}

    /// The shares were computed anew.
    void take(const ActiveJobs& jobs, const Shares& shares);
    /// There were no jobs at `first`, and each `every` after it before `until`, where an order
    /// would have been asked for. The books were opened anew there, if it was time.
    void rest(std::chrono::nanoseconds first,
              std::chrono::nanoseconds every,
              std::chrono::nanoseconds until);
    /// The positions of the jobs, the most urgent first. `jobs` are those of the last take() but
    /// for those that have ended since.
    ///
    /// Order:  ties go to the lower number.
    /// Cost:   that of sort_by_urgency().
    [[nodiscard]] std::vector<std::size_t> order(std::chrono::nanoseconds now,
                                                 const ActiveJobs& jobs);

private:
    struct Own {
        std::uint32_t number = 0;
        double share = 0;
        double deficit = 0;              ///< Seconds.
        std::chrono::nanoseconds ran{};  ///< In leases that were over at the last reset.
    };

    void forget_all_but(const ActiveJobs& jobs);
    void reset(std::chrono::nanoseconds now, const ActiveJobs& jobs);

    std::chrono::nanoseconds head_start_;
    std::vector<Own> jobs_;  ///< The jobs by their numbers.
    std::optional<std::chrono::nanoseconds> reset_at_;
    bool changed_ = false;  ///< Whether shares changed since the last reset.
};

}  // namespace berth::core::rounds
