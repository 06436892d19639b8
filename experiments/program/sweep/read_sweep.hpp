#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "experiments/program/sweep/sweep_spec.hpp"

namespace berth::experiments {

/// Reads the one `kind: Sweep` of a file. Overrides change its experiment, as it is written.
/// Errors: core::InputError with up to 20 messages: an unreadable file, keys and values that are
///         none, an axis without values or with a name that is taken. Paths of axes are not
///         looked up.
[[nodiscard]] SweepSpec read_sweep(const std::filesystem::path& file,
                                   const std::vector<Override>& overrides = {});
/// The same of a text, whose relative names are relative to `folder`.
[[nodiscard]] SweepSpec read_sweep(const std::shared_ptr<const core::SourceText>& source,
                                   const std::filesystem::path& folder,
                                   const std::vector<Override>& overrides);

/// The position of an axis' value by its text; 0.90 is 0.9.
[[nodiscard]] std::optional<std::size_t> find_axis_value(const Axis& axis, std::string_view text);

}  // namespace berth::experiments
