#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// What another program said.
struct ProgramAnswer {
    int status = 0;  ///< As shells report it: 128 and the signal when it died of one.
    std::string out;
    std::string err;
};

/// Of an environment, each as `TZ=UTC0`.
using Variables = std::vector<std::string>;

/// Runs a program that PATH names and waits for it. No shell reads the arguments; `input` is what
/// it reads, `variables` go into its environment. An interrupt at the terminal is not the
/// program's, and settings of squeue in the environment do not hold.
///
/// Returns: nothing if there is no such program; after `patience` it is killed, which is an answer
///          like any other.
/// Errors:  std::system_error.
[[nodiscard]] std::optional<ProgramAnswer> run_program(const std::vector<std::string>& arguments,
                                                       std::chrono::seconds patience,
                                                       std::string_view input = "",
                                                       const Variables& variables = {});

}  // namespace berth::experiments
