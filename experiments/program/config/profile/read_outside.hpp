#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/outside_scheduler.hpp"

namespace berth::experiments {

/// A kind of scheduler that somebody else wrote, and the key under which an experiment names it.
struct OutsideKind {
    std::string_view key;
    std::string_view example;  ///< What may stand under the key.
    bool names_file;
    bool names_object;      ///< Of its file, `FILE:OBJECT`, or without one: `OBJECT`.
    bool may_have_profile;  ///< It may only score servers, and a profile does the rest.
};
/// In the order of OutsideScheduler::Kind.
[[nodiscard]] const std::vector<OutsideKind>& outside_kinds();
/// The kind that `scheduler` names, or nullptr: a profile decides.
[[nodiscard]] const OutsideKind* outside_kind(const core::Value& scheduler);

/// The name of the file in a text under the key of a kind, and what follows it: `:OBJECT`, or
/// nothing where it names no object of the file.
struct OutsideName {
    std::string_view file;
    std::string_view rest;
};
/// Returns: nothing where one of them is missing, or the kind names no file.
[[nodiscard]] std::optional<OutsideName> outside_name(std::string_view text,
                                                      const OutsideKind& kind);

/// Reads what `scheduler` says of a scheduler from outside, if it names one; keys beside it that
/// are for a profile are refused.
/// Errors: recorded at their places.
[[nodiscard]] std::optional<OutsideScheduler> read_outside(core::MapReader& scheduler,
                                                           const core::Value& value);

}  // namespace berth::experiments
