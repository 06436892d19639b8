#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace berth::experiments {

/// A file without a name in a folder, for what memory has no room for. It goes with its object, and
/// with the process, however that ends.
///
/// Errors: std::system_error with the place's name, from each function.
class UnnamedFile {
public:
    struct Place {
        std::filesystem::path folder;
        std::filesystem::path name;  ///< What a user calls it, who never sees the folder.
    };
    explicit UnnamedFile(Place place);
    ~UnnamedFile();
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;

    /// Writes at the end, and returns where that begins.
    std::uint64_t append(std::string_view bytes);
    /// Fills `out` with what was written there; all of it must have been.
    void read(std::uint64_t from, std::span<char> out) const;
    /// Gives back the room of what stands there, which nobody reads again; a file system that
    /// cannot keeps it until the file goes.
    void give_back(std::uint64_t from, std::uint64_t size) const;

private:
    [[noreturn]] void fail(int why) const;

    Place place_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace berth::experiments
