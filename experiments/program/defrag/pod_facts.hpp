#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// What a list of a cluster's objects says about its running pods that a run does not ask for.
struct PodFacts {
    /// How long each pod had run when the list was printed, by `NAMESPACE/NAME`. "Now" is the
    /// latest instant that the list knows.
    std::map<std::string, sim::SimTime> ages;
    /// How many pods each PodDisruptionBudget still lets go.
    std::vector<std::int64_t> budgets;
    /// The indexes of the budgets that count a pod, by `NAMESPACE/NAME`.
    std::map<std::string, std::vector<std::uint32_t>> budgets_of;
};

/// Adds what the objects of a document say: those of a List, or the document itself.
/// A budget allows what its status says; without a status, what its spec leaves of the pods that it
/// selects and that run.
/// Errors: recorded, for a budget whose numbers are neither whole numbers nor per cents.
void add_pod_facts(const core::Value& document, PodFacts& facts, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
