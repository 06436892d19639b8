#pragma once

#include <functional>
#include <vector>

#include "tests/model/plain_case.hpp"

namespace berth::tests {

/// Makes a case smaller.
using Change = std::function<void(PlainCase&)>;

/// Everything that may be left out of a case's quotas, or made simple.
void add_quota_changes(std::vector<Change>& changes, const sim::QuotaSettings& of);

}  // namespace berth::tests
