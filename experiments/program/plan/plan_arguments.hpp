#pragma once

#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/plan/read_plan.hpp"

namespace berth::experiments {

/// The plan that a document and the command line state together. An experiment becomes the
/// experiment of a plan.
/// Errors: core::InputError at the option.
[[nodiscard]] core::Value with_arguments(core::Value document, const PlanArguments& arguments);

/// The path from the top of the experiment: `levels[rack].count` is
/// `spec.topology.spec.levels[rack].count`, and another path without `spec.` begins in spec.
[[nodiscard]] std::string whole_path(const std::string& path);
/// What one of several paths is called: `racks` for the count of a level, otherwise its last key,
/// with as many keys before it as no other of the paths ends in.
[[nodiscard]] std::string axis_name(const std::string& path, const std::vector<std::string>& paths);
/// `racks` for the count of the level rack; empty for any other path.
[[nodiscard]] std::string counted_noun(const std::string& path);

/// A document of berth/v1.
[[nodiscard]] core::Value document_value(const std::string& kind,
                                         const std::string& name,
                                         core::Value spec);

}  // namespace berth::experiments
