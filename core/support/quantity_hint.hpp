#pragma once

#include <string>
#include <string_view>

namespace berth::core {

/// ` (did you mean 200G or 200Gi?)` for `200GB`, as people write amounts of bytes that are not
/// Kubernetes quantities, and what comma_hint() says; "" for anything else.
[[nodiscard]] std::string quantity_hint(std::string_view text);

/// ` (did you mean 1.5h?)` for `1,5h`, and ` (did you mean 1500?)` for `1,500` where a `whole`
/// number is expected: a comma ends no whole number, and groups no digits. "" for anything else.
[[nodiscard]] std::string comma_hint(std::string_view text, bool whole = false);

}  // namespace berth::core
