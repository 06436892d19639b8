#pragma once

#include <cstdint>
#include <string>

namespace berth::experiments {

/// A trace in openb's columns that nobody recorded: its cluster and its pods, of the same shape.
struct OpenbLike {
    std::string nodes;
    std::string pods;
    std::uint64_t pod_count = 0;
};

/// For every 1 213 servers 6 212 GPUs in machines of one, two, four and eight; pods of a hundred
/// and fifty kinds, some much more frequent than others, until they ask for 1.3 times the GPUs. The
/// numbers are made up.
[[nodiscard]] OpenbLike make_openb_like(std::uint32_t servers);

}  // namespace berth::experiments
