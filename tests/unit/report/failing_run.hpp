#pragma once

#include <filesystem>

namespace berth::test {

/// Writes a run directory of 100 s in which something failed. There are two racks of two servers
/// each, `a` and `b` in rack-0, `c` and `d` in rack-1, and two replications with jobs of 1 GPU and
/// of 5 to 8 GPUs.
void write_failing_run(const std::filesystem::path& folder);

}  // namespace berth::test
