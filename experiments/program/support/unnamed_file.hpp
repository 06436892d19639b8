#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace berth::experiments {

/// A file without a name in a folder, for what memory has no room for. It goes with its object, and
/// with the process, however that ends.
///
/// Errors: std::system_error with the folder, from each function.
class UnnamedFile {
public:
    explicit UnnamedFile(const std::filesystem::path& folder);
    ~UnnamedFile();
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;

    /// Writes at the end, and returns where that begins.
    std::uint64_t append(std::string_view bytes);
    /// Fills `out` with what was written there; all of it must have been.
    void read(std::uint64_t from, std::span<char> out) const;

private:
    [[noreturn]] void fail(int why) const;

    std::filesystem::path folder_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace berth::experiments
