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

/// A directory that appears whole or not at all: files are written beside their place, and commit()
/// moves them there. A directory never committed leaves nothing behind. A file that a user put into
/// the run directory that is replaced stays there.
///
/// Errors: core::InputError when the place is taken by something that is no run directory or cannot
///         be written; std::system_error with the path when writing fails later.
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
    /// Has everything on the disk, and replaces what is in the place.
    void commit() override;

private:
    class DiskFile;
    /// Files that are synced together wait for the disk once, where each would wait by itself.
    void sync_later(std::unique_ptr<FileWriter> file);
    void sync_files();
    void keep_files_of_users() const;

    std::filesystem::path place_;
    std::vector<std::filesystem::path> made_parents_;  ///< The innermost first.
    std::optional<Temporary> temporary_;
    std::vector<std::unique_ptr<FileWriter>> unsynced_;  ///< Complete, and still open.
};

}  // namespace berth::experiments
