#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// Creates a folder and its missing parents, and syncs their entries to the disk: a synced file can
/// be lost in a power cut if its folder is not synced.
///
/// Returns: the folders that were missing, the innermost first.
/// Errors:  std::system_error with the path; folders that were created are removed again.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& folder);

/// Removes folders, in this order, if they are still empty.
void remove_empty(const std::vector<std::filesystem::path>& folders);

/// The system's folder for temporary files, which TMPDIR names.
/// Errors: core::InputError if there is no such folder.
[[nodiscard]] std::filesystem::path temporary_folder();

/// A new file or folder beside a place, `PLACE.tmp-XXXXXX`, for content that is moved to the place
/// once it is complete. It is locked as long as this lives, so that what a killed process left
/// behind differs from what another process works on: creating the next one for the same place
/// removes the leftovers.
class Temporary {
public:
    enum class Kind : unsigned char { file, folder };
    /// `possible`: a killed process may have left something, so everything beside the place is
    /// examined. `removed`: the folder was already searched for leftovers.
    enum class Leftovers : unsigned char { possible, removed };

    /// Errors: std::system_error with the place.
    Temporary(std::filesystem::path place, Kind kind, Leftovers leftovers = Leftovers::possible);
    /// Removes the file or folder, if it is still there.
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// The descriptor of the file, open for writing, or of the folder. It is closed together with
    /// this object; duplicate it if necessary.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// Moves it to the place in one step, synced to the disk. A file replaces what is there; a
    /// folder is exchanged with it: the old content is then at path(), and removed with this
    /// object. The files in a folder must be synced before.
    /// Errors: std::system_error with the place, which then keeps its content.
    void move_to_place();
    /// Moves a folder to another place, in the same way, if nothing is there.
    /// Returns: whether nothing was there.
    [[nodiscard]] bool move_to_free(const std::filesystem::path& other) const;

private:
    void remove_leftovers() const;
    [[nodiscard]] bool exchange_with_place();
    void replace_in_two_steps();

    std::filesystem::path place_;
    std::filesystem::path path_;
    Kind kind_;
    int descriptor_ = -1;
};

/// Makes an interrupt end the process, as it does by default, once the files of all Temporaries are
/// removed. For commands that do not end by themselves at an interrupt; folders stay.
void remove_files_at_interrupt();

/// Whether another process works on a Temporary for this place. Where the file system has no locks,
/// the answer is no.
[[nodiscard]] bool is_being_made(const std::filesystem::path& place);

/// The name of the place for which a Temporary made a name such as `PLACE.tmp-XXXXXX`; empty for
/// any other name.
[[nodiscard]] std::string place_of_leftover(std::string_view name);

/// A file without a name in a folder, for data that does not fit into memory. It disappears with
/// its object, and with the process, however that ends.
///
/// Errors: std::system_error with the place's name, from each function.
class UnnamedFile {
public:
    struct Place {
        std::filesystem::path folder;
        std::filesystem::path name;  ///< The name for users, who do not know the folder.
    };
    explicit UnnamedFile(Place place);
    ~UnnamedFile();
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;

    /// Appends the bytes, and returns the offset at which they begin.
    std::uint64_t append(std::string_view bytes);
    /// Fills `out` with the bytes at this offset; all of them must have been written.
    void read(std::uint64_t from, std::span<char> out) const;
    /// Frees the space of bytes that are not read again. A file system that cannot do this keeps
    /// the space until the file is gone.
    void give_back(std::uint64_t from, std::uint64_t size) const;

private:
    [[noreturn]] void fail(int why) const;

    Place place_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace berth::experiments
