#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// The text of each file of a run, by the file's name. A text is shared with the tables that are
/// read from it.
using Texts = std::map<std::string, std::shared_ptr<const std::string>>;

/// Keeps the files of a run in memory.
class MemoryFiles final : public RunFiles {
public:
    [[nodiscard]] std::unique_ptr<File> open(const std::string& name) override;
    void commit() override {}

    /// The files that have been closed. Afterwards, the object has no files.
    [[nodiscard]] Texts take() { return std::move(texts_); }

private:
    class MemoryFile;
    Texts texts_;
};

/// The files of a finished run, in memory or in the folder that a command wrote.
class StoredRun {
public:
    explicit StoredRun(Texts texts) : texts_(std::move(texts)) {}
    /// Errors: core::InputError if the folder has no manifest of berth's.
    explicit StoredRun(std::filesystem::path folder);

    /// The names of the files, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Errors: core::InputError if there is no such file; std::system_error if it cannot be read.
    [[nodiscard]] std::shared_ptr<const std::string> text(const std::string& name) const;
    /// A table by the name of its file, without `.csv`.
    /// Errors: as text(), and core::InputError at a field that does not have its column's type.
    [[nodiscard]] std::shared_ptr<const report::TableColumns> table(const std::string& name,
                                                                    unsigned threads) const;
    /// The run's folder; empty if the run is in memory.
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// Writes a copy of all files into a run directory, as `berth run -o` writes them.
    /// Errors: as RunDirectory.
    void write(const std::filesystem::path& folder) const;

private:
    std::filesystem::path folder_;
    Texts texts_;
};

}  // namespace berth::experiments
