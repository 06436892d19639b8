#pragma once

#include <string>
#include <string_view>

namespace berth::core {

/// ` (did you mean 200G or 200Gi?)` for `200GB`, as people write amounts of bytes that are not
/// Kubernetes quantities; "" for anything else.
[[nodiscard]] std::string quantity_hint(std::string_view text);

}  // namespace berth::core
