#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/run/run_files.hpp"
#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// A directory that appears completely or not at all: files are written beside their place, and
/// commit() moves them there. Without commit() nothing is left behind. If a run directory is
/// replaced, files that users put into it stay there.
///
/// Errors: core::InputError if the place is taken by something other than a run directory or cannot
///         be written; std::system_error with the path if writing fails later.
class RunDirectory final : public RunFiles {
public:
    explicit RunDirectory(std::filesystem::path place,
                          Temporary::Leftovers leftovers = Temporary::Leftovers::possible);
    ~RunDirectory() override;
    RunDirectory(const RunDirectory&) = delete;
    RunDirectory& operator=(const RunDirectory&) = delete;

    [[nodiscard]] std::unique_ptr<File> open(const std::string& name) override;
    [[nodiscard]] std::optional<UnnamedFile::Place> spill_place() const override {
        return UnnamedFile::Place{temporary_->path(), place_};
    }
    /// Syncs everything to the disk, and replaces what is at the place.
    void commit() override;

private:
    class DiskFile;
    /// Queues a file for syncing. Files that are synced together wait for the disk only once.
    void sync_later(std::unique_ptr<FileWriter> file);
    void sync_files();
    void keep_files_of_users() const;

    std::filesystem::path place_;
    /// The parent folders that were made, the innermost first.
    std::vector<std::filesystem::path> made_parents_;
    std::optional<Temporary> temporary_;
    std::vector<std::unique_ptr<FileWriter>> unsynced_;  ///< Complete files that are still open.
};

}  // namespace berth::experiments
