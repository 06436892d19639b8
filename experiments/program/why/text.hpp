#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/why/story.hpp"

namespace berth::experiments {

/// The story for a person, in the order of time; ends in a line end.
[[nodiscard]] std::string story_text(const ExperimentSpec& spec, const Story& story);
/// The same for programs: docs/reference/why.md.
[[nodiscard]] nlohmann::ordered_json story_json(const ExperimentSpec& spec, const Story& story);

}  // namespace berth::experiments
