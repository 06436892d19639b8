#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Answers one line of `berth slurm --jsonl`: when and where each job of a request starts.
///
/// Errors: the answer is `{"error": ...}`, with the place and what was expected.
/// Source: docs/reference/slurm-decisions.md.
[[nodiscard]] std::string answer_slurm_request(std::string_view request);

}  // namespace berth::experiments
