#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "experiments/program/sweep/sweep_spec.hpp"

namespace berth::experiments {

/// Reads the only `kind: Sweep` in a file. Overrides change its experiment as it is written.
/// Errors: core::InputError with up to 20 messages, for an unreadable file, invalid keys and
///         values, an axis without values, and an axis whose name is already used. Paths of axes
///         are not looked up.
[[nodiscard]] SweepSpec read_sweep(const std::filesystem::path& file,
                                   const std::vector<Override>& overrides = {});
/// Does the same for a text; relative names are relative to `folder`.
[[nodiscard]] SweepSpec read_sweep(const std::shared_ptr<const core::SourceText>& source,
                                   const std::filesystem::path& folder,
                                   const std::vector<Override>& overrides);

/// Does the same for a document that was read or made already.
[[nodiscard]] SweepSpec read_sweep(core::Value document,
                                   const std::filesystem::path& folder,
                                   const std::vector<Override>& overrides);

/// The position of an axis' value by its text; 0.90 matches 0.9.
[[nodiscard]] std::optional<std::size_t> find_axis_value(const Axis& axis, std::string_view text);

}  // namespace berth::experiments
