#pragma once

#include <string>

#include "experiments/program/results/quotas.hpp"

namespace berth::report {

/// Which quota binds, as a sentence: the one whose pods ask for more than its max for the longest
/// time; where no max is reached, the one that is longest held to less than it asks for, because
/// the quotas together ask for more than there is. Empty where every quota gets what it asks for.
/// Source: quotas.csv: a parent's request is the sum of its children's, each cut at its max, so
///         that a request above a max is that quota's own doing.
[[nodiscard]] std::string binding_quota(const Quotas& quotas);

}  // namespace berth::report
