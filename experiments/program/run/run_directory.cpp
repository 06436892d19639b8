#include "experiments/program/run/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// The manifest.json of berth in a folder; null if there is none. Other programs' manifest.json
/// lacks the schema of berth.
nlohmann::ordered_json manifest_of(const fs::path& place) {
    if (!core::exists(place / "manifest.json")) {
        return nullptr;
    }
    auto manifest = parsed_if_json(core::text_of_file(place / "manifest.json"));
    const bool of_berth = manifest.is_object() && manifest.contains("schema") &&
                          manifest["schema"] == manifest_schema;
    return of_berth ? manifest : nlohmann::ordered_json(nullptr);
}

bool is_run_directory(const fs::path& place) {
    return core::is_folder(place) && (fs::is_empty(place) || !manifest_of(place).is_null());
}

/// Whether a file of a run directory that the manifest does not list was still written by berth.
bool is_unlisted_file_of_berth(const std::string& name) {
    constexpr std::array names{"manifest.json", "run.json", "report.html"};
    return std::ranges::find(names, name) != names.end();
}

/// No run writes a folder: one that has the name of a file of a run is its user's.
bool is_folder_of_user(const fs::directory_entry& entry) {
    return entry.symlink_status().type() == fs::file_type::directory;
}

bool is_listed(const nlohmann::ordered_json& manifest, const std::string& name) {
    return manifest.is_object() && manifest.value("files", nlohmann::ordered_json::object())
                                       .contains(report::name_of_text(name));
}

/// Errors: core::InputError if a folder in a run directory is where a run will write a file.
void check_no_folder_in_the_way(const fs::path& place) {
    const nlohmann::ordered_json manifest = manifest_of(place);
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
        const std::string name = entry.path().filename().string();
        if (is_folder_of_user(entry) && (name == "run.json" || is_listed(manifest, name))) {
            throw core::InputError(
                fmt::format("{}: error: is a folder where the run writes a file: expected it "
                            "elsewhere, or another folder by -o",
                            entry.path().string()));
        }
    }
}

/// Whether another file system, or another folder, is mounted at the path: nothing can replace it.
bool is_mount_point(const fs::path& path) {
    struct statx status{};
    return ::statx(AT_FDCWD, path.c_str(), AT_NO_AUTOMOUNT, STATX_TYPE, &status) == 0 &&
           (status.stx_attributes & status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// Copies a file or folder to `kept`. A copy of a file is a hard link, if the file system has them.
/// Pipes, sockets and devices have no copies, and neither has a file that was just removed.
void copy_as_it_is(const fs::path& from, const fs::path& kept) {
    const fs::file_type type = fs::symlink_status(from).type();
    std::error_code error;
    if (type == fs::file_type::directory) {
        fs::create_directory(kept, from);
        for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
            copy_as_it_is(entry.path(), kept / entry.path().filename());
        }
    } else if (type == fs::file_type::symlink) {
        fs::copy_symlink(from, kept);
    } else if (type == fs::file_type::regular) {
        fs::create_hard_link(from, kept, error);
        if (error && !fs::copy_file(from, kept, error) &&
            error != std::errc::no_such_file_or_directory) {
            throw fs::filesystem_error("cannot be copied", from, error);
        }
    }
}

/// Copies a user's file or folder to `kept`, a path that users do not know yet, and syncs it to the
/// disk. What this user may not read has no copy.
/// Errors: std::system_error with the name that the user knows.
void keep(const fs::path& from, const fs::path& kept) {
    try {
        copy_as_it_is(from, kept);
        sync_tree(kept);
    } catch (const std::system_error& why) {
        if (why.code() != std::errc::permission_denied) {
            throw std::system_error(why.code(), from.string());
        }
        std::error_code ignored;
        fs::remove_all(kept, ignored);
    }
}

/// Tells a folder from others, whatever its name is; nothing if nothing has the name.
/// Errors: std::system_error with the name.
std::optional<RunDirectory::Identity> identity_of(const fs::path& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0) {
        return RunDirectory::Identity{status.st_dev, status.st_ino};
    }
    if (errno != ENOENT) {
        throw std::system_error(errno, std::generic_category(), path.string());
    }
    return std::nullopt;
}

/// Whether a name is that of a file in a folder, and leads nowhere else.
bool is_file_name(std::string_view name) {
    constexpr std::string_view none("/\0", 2);
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(none) == std::string_view::npos;
}

fs::path without_slash(fs::path place) {
    return !place.has_filename() && place.has_relative_path() ? place.parent_path() : place;
}

}  // namespace

RunDirectory::RunDirectory(fs::path place, Temporary::Leftovers leftovers)
    : place_(without_slash(std::move(place))) {
    if (!place_.has_filename() || place_.filename() == "." || place_.filename() == "..") {
        throw core::InputError(
            fmt::format("'{}': error: not a folder name: expected the name of a folder to make",
                        place_.string()));
    }
    place_ = follow_links(place_);
    if (core::exists(place_) && !is_run_directory(place_)) {
        throw core::InputError(
            fmt::format("{}: error: exists and is not a run directory: expected a new folder, or "
                        "one that berth run wrote",
                        place_.string()));
    }
    if (core::exists(place_)) {
        check_no_folder_in_the_way(place_);
    }
    if (is_mount_point(place_)) {
        throw core::InputError(
            fmt::format("{}: error: is a mount point, which a run cannot replace: expected a "
                        "folder inside it, such as {}/run",
                        place_.string(),
                        place_.string()));
    }
    if (leftovers == Temporary::Leftovers::possible && is_being_made(place_)) {
        throw core::InputError(
            fmt::format("{}: error: another run is being written there: expected to wait until it "
                        "is done, or another folder",
                        place_.string()));
    }
    try {
        made_parents_ = make_folders(place_.parent_path());
        temporary_.emplace(place_, Temporary::Kind::folder, leftovers);
    } catch (const std::system_error& why) {
        remove_empty(made_parents_);
        if (why.code() == std::errc::no_space_on_device) {
            throw;  // this is no reason to name another folder
        }
        throw core::InputError(
            fmt::format("{}: error: cannot be created ({}): expected a folder "
                        "that can be written",
                        place_.string(),
                        why.code().message()));
    }
}

RunDirectory::~RunDirectory() {
    unsynced_.clear();
    temporary_.reset();
    remove_empty(made_parents_);
}

class RunDirectory::DiskFile final : public File {
public:
    DiskFile(RunDirectory& directory, std::string name, int descriptor)
        : directory_(directory),
          name_(std::move(name)),
          descriptor_(descriptor),
          writer_(std::make_unique<FileWriter>(
              descriptor, directory.place_ / name_, FileWriter::Digest::sha256)) {}

    /// The disk begins to write during the run, so that syncing takes little time at the end.
    void append(std::string_view text) override {
        constexpr std::size_t much = std::size_t{1} << 20;
        *writer_ << text;
        waiting_ += text.size();
        if (waiting_ >= much) {
            tell_disk();
        }
    }
    void close() override {
        writer_->flush();
        tell_disk();
        directory_.closed(name_, writer_->sha256());
        directory_.sync_later(std::move(writer_));
    }

private:
    void tell_disk() {
        // errors are reported by syncing
        ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
        waiting_ = 0;
    }

    RunDirectory& directory_;
    std::string name_;
    int descriptor_;           ///< The descriptor of writer_.
    std::size_t waiting_ = 0;  ///< Bytes that the disk has not been told to write.
    std::unique_ptr<FileWriter> writer_;
};

std::unique_ptr<RunFiles::File> RunDirectory::open(const std::string& name) {
    if (!is_file_name(name)) {
        throw core::InputError(
            fmt::format("{}: error: '{}' is no name of a file: expected one without '/'",
                        core::in_one_line(place_.string()),
                        core::in_one_line(name.c_str())));  // up to a character 0
    }
    constexpr mode_t for_all = 0666;
    const int descriptor = ::openat(
        temporary_->descriptor(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all);
    if (descriptor < 0) {
        throw std::system_error(errno, std::generic_category(), (place_ / name).string());
    }
    return std::make_unique<DiskFile>(*this, name, descriptor);
}

/// Whether the run may take the place of what is at a path: of nothing, or of a run directory in
/// which no folder has the name of a file of this run.
bool RunDirectory::may_replace(const fs::path& folder) const {
    try {
        if (!core::exists(folder) && !fs::is_symlink(folder)) {
            return true;
        }
        return !fs::is_symlink(folder) && is_run_directory(folder) &&
               std::ranges::none_of(fs::directory_iterator(folder), [&](const auto& entry) {
                   return is_folder_of_user(entry) && has(entry.path().filename().string());
               });
    } catch (const core::InputError&) {
        return false;  // its manifest cannot be read, so it may be something else
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::permission_denied) {
            throw;
        }
        return false;
    }
}

/// The names of what users put into a run directory with this manifest.
std::vector<std::string> RunDirectory::files_of_users(
    const fs::path& folder, const nlohmann::ordered_json& manifest) const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool is_of_run = is_unlisted_file_of_berth(name) || has(report::name_of_text(name)) ||
                               is_listed(manifest, name);
        if (!is_of_run || is_folder_of_user(entry)) {
            names.push_back(name);
        }
    }
    return names;
}

/// After the run and the old run directory were exchanged: moves the users' own files to the place
/// of their copies, for they may have changed since they were copied, or may have no copy.
/// Errors: std::system_error.
void RunDirectory::return_files_of_users(const nlohmann::ordered_json& manifest) const {
    const std::vector<std::string> names = files_of_users(temporary_->path(), manifest);
    for (const std::string& name : names) {
        const fs::path from = temporary_->path() / name;
        const fs::path to = place_ / name;
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0 &&
            !core::exists(to)) {
            fs::rename(from, to);
        }
    }
    if (!names.empty()) {
        sync_folder(place_);
    }
}

/// Exchanges the run with the run directory that is at the place, which has this identity.
/// Returns: false if something else came to the place a moment ago. Then, and after an error, what
///          was at the place is there again.
bool RunDirectory::replace(const Identity& was) {
    const nlohmann::ordered_json manifest = manifest_of(place_);
    for (const std::string& name : files_of_users(place_, manifest)) {
        keep(place_ / name, temporary_->path() / name);
    }
    temporary_->move_to_place();
    try {
        const auto old = identity_of(temporary_->path());
        if (old == was) {
            return_files_of_users(manifest);
        }
        if (!old || old == was) {  // or somebody removed it a moment ago
            return true;
        }
    } catch (const std::system_error& error) {
        temporary_->move_to_place();
        throw std::system_error(error.code(), place_.string());
    }
    temporary_->move_to_place();
    return false;
}

/// Returns false if something else than a run directory is at the place, which stays there.
bool RunDirectory::take_place() {
    while (may_replace(place_)) {
        if (const auto was = identity_of(place_)) {
            return replace(*was);
        }
        if (temporary_->move_to_free(place_)) {
            return true;
        }
    }
    return false;
}

/// Moves the run to a free name beside its place, such as `DIR-2`, which it returns.
fs::path RunDirectory::move_beside() const {
    for (int number = 2;; ++number) {
        fs::path beside = fmt::format("{}-{}", place_.string(), number);
        if (temporary_->move_to_free(beside)) {
            return beside;
        }
    }
}

/// The limit is the largest number of tables of a run, so at most this many files stay open.
void RunDirectory::sync_later(std::unique_ptr<FileWriter> file) {
    constexpr std::size_t files_max = 12;
    unsynced_.push_back(std::move(file));
    if (unsynced_.size() == files_max) {
        sync_files();
    }
}

void RunDirectory::sync_files() {
    for (const auto& file : unsynced_) {
        file->close();
    }
    unsynced_.clear();
}

void RunDirectory::commit() {
    sync_files();
    if (!take_place()) {
        throw PlaceTaken(
            fmt::format("{}: error: something else than a run was put there during the run, and "
                        "stays: the results are in {}",
                        core::in_one_line(place_.string()),
                        core::in_one_line(move_beside().string())));
    }
}

}  // namespace berth::experiments
