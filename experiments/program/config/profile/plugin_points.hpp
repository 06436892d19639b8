#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The name of a plug-in, which is a text or the name in a map with its options.
/// Errors: recorded at its place; then returns nothing.
[[nodiscard]] std::optional<std::string> plugin_name(const core::Value& value,
                                                     core::Diagnostics& diagnostics);

/// The end of a message about another point of the profile, such as
/// `; easy-backfill is for queueSort`; empty for a name that no plug-in has.
[[nodiscard]] std::string other_point(std::string_view plugin, std::string_view point);

/// What is expected instead of a text in the place of a profile's map, such as `{queueSort: fifo}`,
/// with the texts that surround it.
[[nodiscard]] std::string profile_for(const std::string& text,
                                      std::string_view before = "",
                                      std::string_view after = "");

}  // namespace berth::experiments
