#pragma once

#include <vector>

#include "experiments/program/why/search.hpp"
#include "schedulers/kueue/run/kueue_inquiry.hpp"
#include "sim/profile/job_observer.hpp"

namespace berth::experiments {

/// Changes with which Kueue would admit a job that waits for quota. Each of them was tried.
[[nodiscard]] Changes find_kueue_changes(const sim::Turn& turn, sim::KueueInquiry& inquiry);

/// The parts of find_kueue_changes() about quotas, and the code that both parts share.
namespace kueue_changes {

struct Question {
    const sim::Turn& turn;
    sim::KueueInquiry& inquiry;
    Search& search;
};

/// These amounts in those of the cluster's resources; empty if the cluster has none of them.
[[nodiscard]] Amounts amounts_of(const Question& question,
                                 const core::kueue::ResourceAmounts& amounts);

/// The requested resources of a flavor that are short; if none is, all requested ones.
[[nodiscard]] std::vector<core::kueue::FlavorResource> short_of(
    const Question& question,
    const core::kueue::ResourceGroup& group,
    core::kueue::FlavorId flavor);

void larger_quotas(const Question& question);

}  // namespace kueue_changes

}  // namespace berth::experiments
