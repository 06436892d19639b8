#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/job/records.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::sim {

/// Where a pod goes once the victims are gone.
struct PreemptionChoice {
    core::ServerId server;
    std::vector<std::uint32_t> victims;  ///< Job indices.
};

/// What a search for victims asks about those who run.
struct PreemptionScene {
    const core::Ledger& ledger;
    std::function<const JobRecord&(std::uint32_t index)> job;  ///< One that runs.
    /// How many pods count for the limit of the preemptor's application on a server.
    std::function<core::Members(core::ServerId)> application_pods;
    /// Whether the server would have the devices or providers that the preemptor asks for, without
    /// these jobs; empty: it asks for none.
    std::function<bool(core::ServerId, std::span<const std::uint32_t>)> serves_without;
    /// Whether a server refuses the preemptor for its drains; empty: none does.
    std::function<bool(core::ServerId)> would_be_drained{};
};

/// In-quota preemption for a single pod. On each server with candidates, core::select_victims
/// chooses the victims. The limit of the preemptor's application there is one more resource, of
/// which each of its pods has one; what a pod asks for inside a server has to be there without the
/// victims. Of the servers, it takes the one whose highest victim's priority is lowest; then the
/// one with the lowest sum of priorities, the fewest victims, the latest start of a highest victim,
/// and the lowest number.
///
/// Returns: nothing where preemption cannot help: the real system may kill pods without making the
///          preemptor admissible; here a choice always admits it.
/// Cost:    O(pods of the quota x (log of that + resources)), and an admission check for each
///          server that could help; for a pod that asks for more than amounts, a look inside a
///          server for each candidate there.
/// Source:  Kubernetes, `pickOneNodeForPreemption`; Koordinator a7a1b76b, `preempt.go`.
[[nodiscard]] std::optional<PreemptionChoice> choose_victims(const Job& preemptor,
                                                             core::QuotaId quota,
                                                             QuotaManager& quotas,
                                                             const PreemptionScene& scene);

}  // namespace berth::sim
