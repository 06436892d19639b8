#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/plan/plan_spec.hpp"

namespace berth::experiments {

/// What the command line says of a plan, beside the file that it names.
struct PlanArguments {
    std::vector<std::string> choose;   ///< Each `PATH=FROM..TO`, `PATH=FROM..TO..STEP`, `PATH=A,B`.
    std::vector<std::string> require;  ///< Each `METRIC<=BOUND` or `METRIC>=BOUND`.
    std::string confidence;            ///< Empty: it is not given.
    std::string replications;
    std::vector<Override> overrides;
};

/// Reads the only `kind: Plan` in a file, or makes one of the only `kind: Experiment` in it and of
/// the command line. What the command line says replaces what the plan says.
/// Errors: core::InputError with up to 20 messages, as read_sweep(); also if nothing is chosen or
///         nothing required, and for a range, a requirement or a price that is not valid.
[[nodiscard]] PlanSpec read_plan(const std::filesystem::path& file, const PlanArguments& arguments);

/// A value on an axis as a number: durations in seconds, quantities in their unit.
/// Returns: nothing if it is none.
[[nodiscard]] std::optional<double> number_of(const std::string& text);

}  // namespace berth::experiments
