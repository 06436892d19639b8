#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// The manual page of a command, or with an empty name that of berth itself, in the language of
/// man(7). It says what `--help` says, from the same texts.
/// Errors: core::InputError for an unknown command.
[[nodiscard]] std::string manual_page(std::string_view command);

}  // namespace berth::experiments
