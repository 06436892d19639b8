#pragma once

#include <vector>

#include "tests/model/shrink_quotas.hpp"

namespace berth::tests {

/// Everything that may be left out of a case's providers and queries, or made simple.
void add_provider_changes(std::vector<Change>& changes, const PlainCase& of);

}  // namespace berth::tests
