#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::tests {

/// The element of a list by arrival that belongs to a job, whatever the order in which jobs end.
/// The list has no gaps once all jobs have ended.
template <class Value>
Value& at_arrival(std::vector<Value>& values, std::uint64_t arrival) {
    values.resize(std::max<std::size_t>(values.size(), arrival + 1));
    return values[arrival];
}

}  // namespace berth::tests
