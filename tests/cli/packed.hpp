#pragma once

#include <string>
#include <string_view>

namespace berth::tests {

/// The text, compressed as tightly as possible.
[[nodiscard]] std::string gzip(std::string_view text);
[[nodiscard]] std::string zstd(std::string_view text);

/// The text, repeated this many times.
[[nodiscard]] std::string repeated(std::string_view text, std::size_t count);

}  // namespace berth::tests
