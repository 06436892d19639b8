#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// The output of another program.
struct ProgramAnswer {
    /// The status as shells report it: 128 plus the signal if a signal ended the program.
    int status = 0;
    std::string out;
    std::string err;
};

/// Variables of an environment, such as `TZ=UTC0`.
using Variables = std::vector<std::string>;

/// Runs a program from PATH and waits for it. No shell interprets the arguments. `input` is its
/// standard input, and `variables` are added to its environment. An interrupt from the terminal
/// does not reach the program, and environment settings of squeue are not passed on.
///
/// Returns: nothing if there is no such program. After `patience` the program is killed, which
///          counts as an answer like any other.
/// Errors:  std::system_error.
[[nodiscard]] std::optional<ProgramAnswer> run_program(const std::vector<std::string>& arguments,
                                                       std::chrono::seconds patience,
                                                       std::string_view input = "",
                                                       const Variables& variables = {});

}  // namespace berth::experiments
