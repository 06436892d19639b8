#pragma once

#include <functional>
#include <vector>

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// A change that makes a case smaller.
using Change = std::function<void(PlainCase&)>;

/// Adds all changes that leave out or simplify a part of a case's quotas.
void add_quota_changes(std::vector<Change>& changes, const sim::QuotaSettings& of);

}  // namespace berth::tests
