#pragma once

#include <string_view>

namespace berth::experiments {

/// Whether an option of sbatch only says what a job needs, where it may run and who hears of it.
/// All others may have something run or set, as `--wrap` and `--export` have, and so may a word
/// without a dash, which sbatch may take for a script.
///
/// Shape: `--name=value`, `--name`, or `-n` with its value behind it.
[[nodiscard]] bool only_asks(std::string_view option);

}  // namespace berth::experiments
