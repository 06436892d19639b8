#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/why/story.hpp"

namespace berth::experiments {

/// The story for people, in the order of time. It ends in a line break.
[[nodiscard]] std::string story_text(const ExperimentSpec& spec, const Story& story);
/// The story for programs: docs/reference/why.md.
[[nodiscard]] nlohmann::ordered_json story_json(const ExperimentSpec& spec, const Story& story);

}  // namespace berth::experiments
