#include "experiments/program/run/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// The manifest.json of berth in a folder; null if there is none. Other programs' manifest.json
/// lacks the schema of berth.
nlohmann::json manifest_of(const fs::path& place) {
    if (!core::exists(place / "manifest.json")) {
        return nullptr;
    }
    auto manifest =
        nlohmann::json::parse(core::text_of_file(place / "manifest.json"), nullptr, false);
    const bool of_berth = manifest.is_object() && manifest.contains("schema") &&
                          manifest["schema"] == manifest_schema;
    return of_berth ? manifest : nlohmann::json(nullptr);
}

bool is_run_directory(const fs::path& place) {
    return core::is_folder(place) && (fs::is_empty(place) || !manifest_of(place).is_null());
}

/// Whether a file of a run directory that the manifest does not list was still written by berth.
bool is_unlisted_file_of_berth(const std::string& name) {
    constexpr std::array names{"manifest.json", "run.json", "report.html"};
    return std::ranges::find(names, name) != names.end();
}

/// Copies a file or folder to `kept`, a path that users do not know yet, and syncs it to the disk.
/// Errors: std::system_error with the name that the user knows.
void keep(const fs::path& from, const fs::path& kept) {
    constexpr auto as_they_are = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
    std::error_code error;
    try {
        fs::copy(from, kept, as_they_are | fs::copy_options::create_hard_links, error);
        if (error) {  // the file system has no hard links
            fs::remove_all(kept, error);
            fs::copy(from, kept, as_they_are);
        }
        sync_tree(kept);
    } catch (const std::system_error& why) {
        throw std::system_error(why.code(), from.string());
    }
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
    try {
        made_parents_ = make_folders(place_.parent_path());
        temporary_.emplace(place_, Temporary::Kind::folder, leftovers);
    } catch (const std::system_error& why) {
        remove_empty(made_parents_);
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
    constexpr mode_t for_all = 0666;
    const int descriptor = ::openat(
        temporary_->descriptor(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all);
    if (descriptor < 0) {
        throw std::system_error(errno, std::generic_category(), (place_ / name).string());
    }
    return std::make_unique<DiskFile>(*this, name, descriptor);
}

/// Makes links to the users' files, so that a copy of each exists at every moment.
void RunDirectory::keep_files_of_users() const {
    if (!core::exists(place_)) {
        return;
    }
    const nlohmann::json manifest = manifest_of(place_);
    for (const fs::directory_entry& entry : fs::directory_iterator(place_)) {
        const std::string name = entry.path().filename().string();
        const std::string text = report::name_of_text(name);
        if (is_unlisted_file_of_berth(name) || has(text) ||
            (manifest.is_object() &&
             manifest.value("files", nlohmann::json::object()).contains(text))) {
            continue;
        }
        keep(entry.path(), temporary_->path() / name);
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
    keep_files_of_users();
    temporary_->move_to_place();
}

}  // namespace berth::experiments
