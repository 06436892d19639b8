#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/why/story.hpp"

namespace berth::experiments {

/// The short answer in a sentence or two: how long the job waited and where most of its attempts
/// stopped, then the smallest change that would have let it in at the last of them.
[[nodiscard]] std::vector<std::string> short_answer(const ExperimentSpec& spec, const Story& story);
/// The story for people, in the order of time. It ends in a line break.
[[nodiscard]] std::string story_text(const ExperimentSpec& spec, const Story& story);
/// The story for programs: docs/reference/why.md.
[[nodiscard]] nlohmann::ordered_json story_json(const ExperimentSpec& spec, const Story& story);

}  // namespace berth::experiments
