#pragma once

#include <vector>

#include "sim/clock/time.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::sim {

/// Watches which quotas use more than their runtimes, and for how long.
///
/// Cost:   a look is O(quotas), in addition to QuotaManager::over; no look is needed at ticks
///         between which nothing changed.
/// Source: Koordinator a7a1b76b, `quota_overuse_revoke.go`: a monitor notes when it last saw its
///         quota not over its runtime, and triggers when that is longer ago than the patience.
class Recycler {
public:
    Recycler(const RecyclerSettings& settings, QuotaManager& quotas)
        : settings_(settings), quotas_(quotas) {}

    /// Whether a look could see anything new.
    [[nodiscard]] bool needs_a_look() const {
        return waiting_for_patience_ || quotas_.changes() != seen_changes_;
    }
    /// Looks at all quotas, at a tick. Returns those that have been over their runtimes for longer
    /// than the patience, which then starts anew for each of them.
    [[nodiscard]] std::vector<core::QuotaId> look(SimTime now);
    /// Which running pods to take from a quota: indices into `pods`, in order.
    [[nodiscard]] std::vector<std::size_t> choose(core::QuotaId quota,
                                                  const std::vector<core::QuotaPod>& pods);

private:
    struct Monitor {
        SimTime last_under{};
        bool over = false;
        bool hopeless = false;  ///< In the current state, no pod may be taken from the quota.
    };
    const RecyclerSettings& settings_;
    QuotaManager& quotas_;
    std::vector<Monitor> monitors_;  ///< One monitor per quota.
    std::uint64_t seen_changes_ = ~std::uint64_t{0};
    bool waiting_for_patience_ = false;
};

}  // namespace berth::sim
