#pragma once

#include <optional>

#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"

namespace berth::core {

/// Sums up anew, from the servers to the root, every node's capacity and what is available on it.
/// Cost: O(nodes x resources).
[[nodiscard]] std::optional<Violation> find_violation(const Ledger& ledger);

/// Of a ledger that shares its GPUs: compares what is known of each server's with its devices, one
/// by one. Cost: O(GPUs).
[[nodiscard]] std::optional<Violation> find_wrong_gpus(const Ledger& ledger);

}  // namespace berth::core
