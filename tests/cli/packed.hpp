#pragma once

#include <string>
#include <string_view>

namespace berth::tests {

/// A text as the compressors store it, as tightly as they can.
[[nodiscard]] std::string gzip(std::string_view text);
[[nodiscard]] std::string zstd(std::string_view text);

/// The same text so many times one after the other.
[[nodiscard]] std::string repeated(std::string_view text, std::size_t count);

}  // namespace berth::tests
