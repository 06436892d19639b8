#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::experiments {

/// A SHA-256 in the making.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    /// In hexadecimal; call it once, after the last bytes.
    [[nodiscard]] std::string hex();

private:
    std::shared_ptr<void> context_;
};

/// The SHA-256 of all that is left in a stream, in hexadecimal.
/// Errors: what `in` throws.
[[nodiscard]] std::string sha256_of(std::istream& in);
/// The SHA-256 of a file's bytes in hexadecimal; nothing where it cannot be read, and then errno
/// says why.
[[nodiscard]] std::optional<std::string> sha256_of(const std::filesystem::path& file);

}  // namespace berth::experiments
