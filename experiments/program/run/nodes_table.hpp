#pragma once

#include <string>
#include <vector>

#include "core/ledger/ledger.hpp"

namespace berth::experiments {

/// nodes.csv: the servers before the run begins but those that are left out, with the background,
/// and their machine types if wanted.
[[nodiscard]] std::string nodes_csv(const core::Ledger& ledger,
                                    const std::vector<core::ServerId>& left_out,
                                    bool with_types);

}  // namespace berth::experiments
