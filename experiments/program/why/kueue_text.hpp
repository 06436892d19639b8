#pragma once

#include <nlohmann/json.hpp>

#include "experiments/program/why/kueue_scene.hpp"
#include "experiments/program/why/words.hpp"

namespace berth::experiments {

/// What Kueue's state was: who it waits with, the quotas that refuse it, the room for its pods.
void kueue_lines(const KueueScene& scene, Page& page);

/// The same for programs: docs/reference/why.md.
[[nodiscard]] nlohmann::ordered_json kueue_json(const KueueScene& scene);

}  // namespace berth::experiments
