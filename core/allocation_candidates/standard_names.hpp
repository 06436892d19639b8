#pragma once

#include <span>
#include <string_view>

namespace berth::core {

/// The names that every placement service knows: those of os-traits 2.9.0 and of
/// os-resource-classes 1.1.0. Sorted.
[[nodiscard]] std::span<const std::string_view> standard_traits();
[[nodiscard]] std::span<const std::string_view> standard_resource_classes();

}  // namespace berth::core
