#pragma once

#include <string>

namespace berth::tests {

/// A cluster in which only GPUs are counted, with two kinds of jobs of two users.
extern const std::string gpu_experiment;

/// The first line of `validate` about an experiment that it refuses. `run` refuses it in the same
/// way.
[[nodiscard]] std::string refusal_of(const std::string& experiment);

/// The messages of `validate` about an experiment that it accepts; an additional file may lie
/// beside it.
[[nodiscard]] std::string warning_of(const std::string& experiment,
                                     const std::string& file = "",
                                     const std::string& text = "");

}  // namespace berth::tests
