#pragma once

#include <filesystem>
#include <memory>
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
    bool replications_are_equal = false;  ///< Each choice is run once, and has no interval.
};

/// Reads the only `kind: Plan` in a file, or makes one of the only `kind: Experiment` in it and of
/// the command line. What the command line says replaces what the plan says.
/// Errors: core::InputError with up to 20 messages, as read_sweep(); also if nothing is chosen or
///         nothing required, for a range, a requirement or a price that is not valid, and for more
///         than 10 000 choices.
[[nodiscard]] PlanSpec read_plan(const std::filesystem::path& file, const PlanArguments& arguments);
/// Does the same for a text; relative names of files are relative to `folder`.
[[nodiscard]] PlanSpec read_plan(const std::shared_ptr<const core::SourceText>& source,
                                 const std::filesystem::path& folder,
                                 const PlanArguments& arguments);

}  // namespace berth::experiments
