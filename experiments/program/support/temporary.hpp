#pragma once

#include <filesystem>

namespace berth::experiments {

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

}  // namespace berth::experiments
