#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::sim {

/// Where a pod goes once the victims are gone.
struct PreemptionChoice {
    core::ServerId server;
    std::vector<std::uint32_t> victims;  ///< Job indices.
};

/// In-quota preemption for a single pod. On each server with candidates, core::select_victims
/// chooses the victims; `start_of` says when a job started, `inside_serves` whether the server
/// would have the devices or providers that the preemptor asks for. Of the servers, it takes the
/// one whose highest victim's priority is lowest; then the one with the lowest sum of priorities,
/// the fewest victims, the latest start of a highest victim, and the lowest number.
///
/// Returns: nothing where preemption cannot help: the real system may kill pods without making the
///          preemptor admissible; here a choice always admits it.
/// Cost:    O(pods of the quota x (log of that + resources)), and an admission check for each
///          server that could help.
/// Source:  Kubernetes, `pickOneNodeForPreemption`; Koordinator a7a1b76b, `preempt.go`.
[[nodiscard]] std::optional<PreemptionChoice> choose_victims(
    const Job& preemptor,
    core::QuotaId quota,
    QuotaManager& quotas,
    const core::Ledger& ledger,
    const std::function<SimTime(std::uint32_t index)>& start_of,
    const std::function<bool(const PreemptionChoice&)>& inside_serves);

}  // namespace berth::sim
