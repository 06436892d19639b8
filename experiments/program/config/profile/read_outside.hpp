#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/outside_scheduler.hpp"

namespace berth::experiments {

/// A kind of scheduler from outside berth, and the key under which an experiment names it.
struct OutsideKind {
    std::string_view key;
    std::string_view example;  ///< An example of what the key may have.
    bool names_file;
    bool names_object;      ///< Whether an object is named, with its file as `FILE:OBJECT` or
                            ///< without one as `OBJECT`.
    bool may_have_profile;  ///< Whether it may only score servers, while a profile does the rest.
};
/// All kinds, in the order of OutsideScheduler::Kind.
[[nodiscard]] const std::vector<OutsideKind>& outside_kinds();
/// The kind that `scheduler` names; nullptr if a profile decides.
[[nodiscard]] const OutsideKind* outside_kind(const core::Value& scheduler);

/// The file name in the text under the key of a kind, and what follows it: `:OBJECT`, or nothing if
/// no object of the file is named.
struct OutsideName {
    std::string_view file;
    std::string_view rest;
};
/// Returns: nothing if one of the two is missing, or if the kind names no file.
[[nodiscard]] std::optional<OutsideName> outside_name(std::string_view text,
                                                      const OutsideKind& kind);

/// Refuses keys that would decide where jobs run beside the scheduler with this key. lostWork,
/// onFailure and typicalPods stay, because they say what happens, whatever decides. Errors:
/// recorded.
void refuse_other_schedulers(core::MapReader& map,
                             const core::Value& scheduler,
                             std::string_view own,
                             bool may_have_profile);

/// Reads what `scheduler` says about a scheduler from outside, if it names one. Keys beside it that
/// are meant for a profile are refused.
/// Errors: recorded at their places.
[[nodiscard]] std::optional<OutsideScheduler> read_outside(core::MapReader& scheduler,
                                                           const core::Value& value);

}  // namespace berth::experiments
