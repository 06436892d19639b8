#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// Makes a folder and those above it that are missing, and has their entries on the disk: a file
/// that is synced in a folder that is not can be gone with it after a power cut.
///
/// Returns: those that were missing, the innermost first.
/// Errors:  std::system_error with the path; what was made is removed again.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& folder);

/// Removes folders, in their order, that nobody has put anything into.
void remove_empty(const std::vector<std::filesystem::path>& folders);

/// A new file or folder beside a place, `PLACE.tmp-XXXXXX`, for what is to stand at the place once
/// it is whole. It is locked as long as this lives, so that what a killed process left behind is
/// told from what another one works on: making the next one for the same place removes the former.
class Temporary {
public:
    enum class Kind : unsigned char { file, folder };
    /// Whether a killed process may have left something, which takes a look at all that stands
    /// beside the place; or its folder was looked through for that.
    enum class Leftovers : unsigned char { possible, removed };

    /// Errors: std::system_error with the place.
    Temporary(std::filesystem::path place, Kind kind, Leftovers leftovers = Leftovers::possible);
    /// Removes it, if it is still there.
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Of the file, open for writing, or of the folder. It is closed with this; duplicate it.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// Has it stand at the place, in one step, on the disk: a file takes the place of what is
    /// there; a folder changes places with it, and what was there goes. Sync the files in a folder
    /// before.
    /// Errors: std::system_error with the place, which then holds what it held.
    void move_to_place();

private:
    void remove_leftovers() const;
    void replace_in_two_steps();

    std::filesystem::path place_;
    std::filesystem::path path_;
    Kind kind_;
    int descriptor_ = -1;
};

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
