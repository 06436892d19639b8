#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/ledger.hpp"
#include "sim/quota_manager.hpp"

namespace berth::sim {

/// A running single pod that a pod of its quota might preempt.
struct PreemptionCandidate {
    std::uint32_t index = 0;  ///< Of its job.
    const Job* job = nullptr;
    core::ServerId server;
    SimTime start{};
};

/// Where a pod goes once the victims are gone.
struct PreemptionChoice {
    core::ServerId server;
    std::vector<std::uint32_t> victims;  ///< Job indices.
};

/// In-quota preemption for a single pod: on each server with candidates, the victims by
/// core::select_victims; of the servers the one whose highest victim's priority is lowest, then
/// with the lowest sum of priorities, the fewest victims, the latest start of a highest victim, and
/// the first by number.
///
/// Returns: nothing where preemption cannot help: the real system may kill pods without making the
///          preemptor admissible (semantics 9.3); here a choice always admits it.
/// Cost:    O(candidates x (log candidates + resources)) and an admission check a server tried.
/// Source:  Kubernetes, `pickOneNodeForPreemption`; Koordinator a7a1b76b, `preempt.go`.
[[nodiscard]] std::optional<PreemptionChoice> choose_victims(
    const Job& preemptor,
    core::QuotaId quota,
    QuotaManager& quotas,
    const core::Ledger& ledger,
    std::span<const PreemptionCandidate> candidates);

}  // namespace berth::sim
