#pragma once

#include <string>

namespace berth::tests {

/// A cluster of GPUs that are counted alone, with two kinds of jobs of two users.
extern const std::string gpu_experiment;

/// What `validate` says first of an experiment that it refuses. `run` refuses it likewise.
[[nodiscard]] std::string refusal_of(const std::string& experiment);

/// What `validate` says of an experiment that it takes; beside it there may be a file.
[[nodiscard]] std::string warning_of(const std::string& experiment,
                                     const std::string& file = "",
                                     const std::string& text = "");

}  // namespace berth::tests
