#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The value at the path `keys`, or nullptr.
[[nodiscard]] const core::Value* value_below(const core::Value& value,
                                             std::initializer_list<std::string_view> keys);

/// The text of the scalar at that path, or "".
[[nodiscard]] std::string text_below(const core::Value& value,
                                     std::initializer_list<std::string_view> keys);

}  // namespace berth::experiments
