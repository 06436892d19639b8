#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/cycle.hpp"
#include "schedulers/kueue/decide/hopeless_requests.hpp"

namespace berth::core::kueue {

/// What a workload lacked that a cycle looked at.
enum class Lack : std::uint8_t {
    none,            ///< It was admitted, or no cycle looked at it.
    active_queue,    ///< Its ClusterQueue is stopped, or not fit for use.
    flavor,          ///< No flavor matches what it asks for.
    quota_for_good,  ///< It asks for more than its ClusterQueue could have if nothing were used.
    quota,           ///< Too much is in use.
    places,          ///< There is quota, and no room for its pods where its topology wants them.
    turn,            ///< Others that were taken before it in the cycle have what it would get.
    leaving,         ///< Those that are preempted for it have not stopped yet.
};

/// The cache is as it was in the cycle.
[[nodiscard]] Lack lack_of(const Entry& entry, const Cache& cache);

/// Why a workload was parked, in a form in which a later one that asks for the same is asked
/// quickly whether it would be refused for the same.
///
/// Which flavors are tried, and what comes of it, follows from how each check of quota ends and how
/// high it borrows: as long as that is as before, so is the nomination, but for the amounts in its
/// message.
class Refusal {
public:
    /// Nothing for one that is offered again, or if a nomination depends on more than that: several
    /// pod sets or fewer pods, places of a topology, usage of LocalQueues, times that are not
    /// written, flavors that were left from an earlier cycle, or others that went in the same one.
    /// The workload is as it was offered.
    [[nodiscard]] static std::optional<Refusal> of(const Entry& entry, const Cache& cache);
    /// The same for one that asks for the same; what is known of the last refusal of such is used
    /// again, if it is the same but for amounts.
    static void renew(std::optional<Refusal>& last, const Entry& entry, const Cache& cache);

    /// Whether it would be refused again. The message and its amounts are then those of now.
    [[nodiscard]] bool holds(Cache& cache,
                             const WorkloadOrder& order,
                             const Workload& workload,
                             HopelessRequests& hopeless);
    /// What Kueue says of it, as of when it held last.
    [[nodiscard]] std::string message(const Names& names) const;

private:
    /// A piece of the message, and the check whose lack comes behind it.
    struct Piece {
        std::string text;
        std::size_t check = 0;
    };
    void write_pieces(const PodSetAssignment& set, const Names& names);

    std::vector<QuotaCheck> checks_;
    /// Reasons are ordered by their words, among which the names of flavor and resource come before
    /// any amount, so that their order stays.
    std::vector<Piece> pieces_;
    std::string end_;  ///< Of the message, behind the last piece.
    /// The mode is preempt, and more than one resource is asked for: then only that it is hopeless
    /// for one alone says the same of all together.
    bool must_be_hopeless_ = false;
};

/// Whether a workload is offered from the first of its flavors on.
[[nodiscard]] bool begins_with_first_flavor(const Workload& workload);

}  // namespace berth::core::kueue
