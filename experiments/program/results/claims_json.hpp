#pragma once

#include <vector>

#include "experiments/program/results/claim.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// The claims in the form of summary.json and the page.
[[nodiscard]] std::vector<Is<"Claim">> claims_json(const std::vector<ClaimResult>& claims);

}  // namespace berth::report
