#pragma once

#include <string>
#include <vector>

#include "experiments/program/why/story.hpp"

namespace berth::experiments {

/// Whether nothing kept the job from starting when it arrived.
[[nodiscard]] bool placed_at_once(const Story& story);

/// What somebody wants to know first, in a sentence or two: how long the job waited and where most
/// of its attempts stopped, then the smallest change that would have let it in at the last of them.
[[nodiscard]] std::vector<std::string> short_answer(const ExperimentSpec& spec, const Story& story);

}  // namespace berth::experiments
