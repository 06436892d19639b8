#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::experiments {

/// A SHA-256 in progress.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    /// The digest in hexadecimal. Call it once, after the last bytes.
    [[nodiscard]] std::string hex();

private:
    std::shared_ptr<void> context_;
};

/// The SHA-256 of the rest of a stream, in hexadecimal.
/// Errors: those of `in`.
[[nodiscard]] std::string sha256_of(std::istream& in);
/// The SHA-256 of a file's bytes, in hexadecimal. Nothing if the file cannot be read; errno then
/// says why.
[[nodiscard]] std::optional<std::string> sha256_of(const std::filesystem::path& file);

}  // namespace berth::experiments
