#pragma once

#include <string>
#include <string_view>

namespace berth::core {

/// Returns ` (did you mean 200G or 200Gi?)` for `200GB`, since people write amounts of bytes in
/// ways that are not Kubernetes quantities, and the answer of comma_hint() where it has one; "" for
/// anything else.
[[nodiscard]] std::string quantity_hint(std::string_view text);

/// Returns ` (did you mean 1.5h?)` for `1,5h`, and ` (did you mean 1500?)` for `1,500` where a
/// `whole` number is expected: a comma neither ends a whole number nor groups digits. "" for
/// anything else.
[[nodiscard]] std::string comma_hint(std::string_view text, bool whole = false);

}  // namespace berth::core
