#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The name of a plug-in, which stands alone or is that of a map with its options.
/// Errors: recorded at its place; nothing.
[[nodiscard]] std::optional<std::string> plugin_name(const core::Value& value,
                                                     core::Diagnostics& diagnostics);

/// `; easy-backfill is for queueSort`, as the end of a message about another point of the profile;
/// empty for a name that no plug-in has.
[[nodiscard]] std::string other_point(std::string_view plugin, std::string_view point);

/// What is expected where a text stands in the place of a profile's map, `{queueSort: fifo}`, with
/// what stands around that.
[[nodiscard]] std::string profile_for(const std::string& text,
                                      std::string_view before = "",
                                      std::string_view after = "");

}  // namespace berth::experiments
