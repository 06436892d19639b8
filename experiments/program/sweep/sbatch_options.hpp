#pragma once

#include <string_view>

namespace berth::experiments {

/// Whether an option of sbatch only says what a job needs, where it may run, and who is notified
/// about it. All others may run or set something, such as `--wrap` and `--export`; so may a word
/// without a dash, which sbatch may take for a script.
///
/// Shape: `--name=value`, `--name`, or `-n` with its value behind it.
[[nodiscard]] bool only_asks(std::string_view option);

}  // namespace berth::experiments
