#pragma once

#include <vector>

#include "tests/model/shrink_quotas.hpp"

namespace berth::tests {

/// Adds all changes that leave out or simplify a part of a case's providers and queries.
void add_provider_changes(std::vector<Change>& changes, const PlainCase& of);

}  // namespace berth::tests
