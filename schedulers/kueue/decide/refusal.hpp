#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/cycle.hpp"
#include "schedulers/kueue/decide/hopeless_requests.hpp"

namespace berth::core::kueue {

/// What a workload lacked when a cycle looked at it.
enum class Lack : std::uint8_t {
    none,            ///< It was admitted, or no cycle looked at it.
    active_queue,    ///< The ClusterQueue is stopped, or cannot be used.
    flavor,          ///< No flavor matches what it asks for.
    quota_for_good,  ///< It asks for more than its ClusterQueue could have if nothing were used.
    quota,           ///< Too much is in use.
    places,          ///< There is quota, but no room for its pods where its topology wants them.
    turn,            ///< Workloads that were taken before it in the cycle have what it would get.
    leaving,         ///< The workloads that are preempted for it have not stopped yet.
};

/// What the workload of an entry lacked. The cache must be as it was in the cycle.
[[nodiscard]] Lack lack_of(const Entry& entry, const Cache& cache);

/// Why a workload was parked, in a form that quickly tells whether a later workload that asks for
/// the same would be refused for the same reason.
///
/// Which flavors are tried, and with what result, follows from how each check of quota ends and how
/// high it borrows. As long as these are as before, so is the nomination, except for the amounts in
/// its message.
class Refusal {
public:
    /// Nothing for a workload that is offered again, or if a nomination depends on more than that:
    /// several pod sets or fewer pods, places of a topology, usage of LocalQueues, times that are
    /// not written, flavors that were left from an earlier cycle, or other workloads that were
    /// preempted in the same cycle. The workload is as it was offered.
    [[nodiscard]] static std::optional<Refusal> of(const Entry& entry, const Cache& cache);
    /// Updates the last refusal with one for a workload that asks for the same. What is known of
    /// the last one is used again if both are the same except for amounts.
    static void renew(std::optional<Refusal>& last, const Entry& entry, const Cache& cache);

    /// Whether the workload would be refused again. If so, the message and its amounts are those of
    /// now.
    [[nodiscard]] bool holds(Cache& cache,
                             const WorkloadOrder& order,
                             const Workload& workload,
                             HopelessRequests& hopeless);
    /// What Kueue says of the refusal, as of the last time that it held.
    [[nodiscard]] std::string message(const Names& names) const;

private:
    /// A piece of the message, and the check whose lacking amount comes behind it.
    struct Piece {
        std::string text;
        std::size_t check = 0;
    };
    void write_pieces(const PodSetAssignment& set, const Names& names);

    std::vector<QuotaCheck> checks_;
    /// Reasons are ordered by their words. In them the names of flavor and resource come before any
    /// amount, so that their order stays the same.
    std::vector<Piece> pieces_;
    std::string end_;  ///< The rest of the message, behind the last piece.
    /// The mode is preempt, and more than one resource is asked for. In this case, only a check
    /// that is hopeless for one resource alone proves that all of them together are hopeless.
    bool must_be_hopeless_ = false;
};

/// Whether a workload is offered from the first of its flavors on.
[[nodiscard]] bool begins_with_first_flavor(const Workload& workload);

}  // namespace berth::core::kueue
