#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/program/run/run_files.hpp"
#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// The results of a run are whole, but not at their place, where somebody put something else during
/// the run. what() is one line, which says where the results are.
class PlaceTaken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A directory that appears completely or not at all: files are written beside their place, and
/// commit() moves them there. Without commit() nothing is left behind. If a run directory is
/// replaced, files that users put into it stay there.
///
/// Errors: core::InputError if the place is taken by something other than a run directory, if
///         another run is being written there, or if it cannot be written; std::system_error with
///         the path if writing fails later.
class RunDirectory final : public RunFiles {
public:
    /// What tells one folder from another, whatever their names are.
    struct Identity {
        dev_t device;
        ino_t inode;
        bool operator==(const Identity&) const = default;
    };

    explicit RunDirectory(std::filesystem::path place,
                          Temporary::Leftovers leftovers = Temporary::Leftovers::possible);
    ~RunDirectory() override;
    RunDirectory(const RunDirectory&) = delete;
    RunDirectory& operator=(const RunDirectory&) = delete;

    /// Errors: also core::InputError if the name is not that of a file in the directory.
    [[nodiscard]] std::unique_ptr<File> open(const std::string& name) override;
    [[nodiscard]] std::optional<UnnamedFile::Place> spill_place() const override {
        return UnnamedFile::Place{temporary_->path(), place_};
    }
    /// Syncs everything to the disk, and replaces the run directory at the place, if one is there.
    /// Errors: PlaceTaken if something else is there by now, which stays.
    void commit() override;

private:
    class DiskFile;
    /// Queues a file for syncing. Files that are synced together wait for the disk only once.
    void sync_later(std::unique_ptr<FileWriter> file);
    void sync_files();
    [[nodiscard]] bool may_replace(const std::filesystem::path& folder) const;
    [[nodiscard]] std::vector<std::string> files_of_users(
        const std::filesystem::path& folder, const nlohmann::ordered_json& manifest) const;
    void return_files_of_users(const nlohmann::ordered_json& manifest) const;
    [[nodiscard]] bool replace(const Identity& was);
    [[nodiscard]] bool take_place();
    [[nodiscard]] std::filesystem::path move_beside() const;

    std::filesystem::path place_;
    /// The parent folders that were made, the innermost first.
    std::vector<std::filesystem::path> made_parents_;
    std::optional<Temporary> temporary_;
    std::vector<std::unique_ptr<FileWriter>> unsynced_;  ///< Complete files that are still open.
};

}  // namespace berth::experiments
