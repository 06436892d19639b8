#pragma once

#include <string>
#include <vector>

#include "core/allocation_candidates/provider_names.hpp"

namespace berth::core {

/// Why no provider of a forest gives an amount of a resource class, a sentence each: there is no
/// inventory, none has so much left (and whether a tree has it in pieces), or the units of those
/// that have are others.
/// Cost: O(providers).
[[nodiscard]] std::vector<std::string> why_no_amount(const ProviderForest& forest,
                                                     const ProviderNames& names,
                                                     const std::string& type,
                                                     Amount amount);

}  // namespace berth::core
