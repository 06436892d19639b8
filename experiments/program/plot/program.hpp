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

/// What a program is given besides its arguments.
struct ProgramInput {
    /// Its standard input.
    std::string_view text = {};
    /// What it reads from file descriptor 3.
    std::string_view more = {};
    /// Variables that are added to its environment.
    Variables variables = {};
};

/// Runs a program from PATH and waits for it. No shell interprets the arguments. Input and output
/// are in memory, and no file is written. An interrupt from the terminal does not reach the
/// program, and environment settings of squeue and Node.js are not passed on.
///
/// Returns: nothing if there is no such program. After `patience` the program is killed, which
///          counts as an answer like any other.
/// Errors:  std::system_error.
[[nodiscard]] std::optional<ProgramAnswer> run_program(const std::vector<std::string>& arguments,
                                                       std::chrono::seconds patience,
                                                       const ProgramInput& input = {});

}  // namespace berth::experiments
