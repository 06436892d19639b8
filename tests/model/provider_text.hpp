#pragma once

#include <cstddef>
#include <string>

#include "sim/cluster/inside/plugins.hpp"
#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// What a machine type says about its providers besides its devices.
[[nodiscard]] std::string machine_providers_text(const PlainTree& tree, std::size_t type);
/// The `sharedProviders` of the topology.
[[nodiscard]] std::string shared_providers_text(const PlainTree& tree);
/// The `filter` of the profile.
[[nodiscard]] std::string candidates_text(const sim::CandidatePlugin& plugin);

}  // namespace berth::tests
