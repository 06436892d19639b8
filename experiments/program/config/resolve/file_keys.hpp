#pragma once

#include <string>

namespace berth::experiments {

/// Whether a path of an experiment leads to the name of a file, which resolve_experiment() reads or
/// keeps. A user's own key `file`, such as that of a label, names none. The path may have entries
/// of lists in brackets: `spec.workload[0].trace.file`.
[[nodiscard]] bool names_file(const std::string& path);

}  // namespace berth::experiments
