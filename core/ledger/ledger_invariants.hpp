#pragma once

#include <optional>

#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"

namespace berth::core {

/// Compares every node's capacity and available amounts with sums computed afresh from the servers
/// to the root.
/// Cost: O(nodes x resources).
[[nodiscard]] std::optional<Violation> find_violation(const Ledger& ledger);

/// For a ledger that shares its GPUs: compares what is recorded of each server's GPUs with its
/// devices, one by one.
/// Cost: O(GPUs).
[[nodiscard]] std::optional<Violation> find_wrong_gpus(const Ledger& ledger);

}  // namespace berth::core
