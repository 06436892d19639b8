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
/// read of it.
using Texts = std::map<std::string, std::shared_ptr<const std::string>>;

/// Keeps the files of a run in memory.
class MemoryFiles final : public RunFiles {
public:
    [[nodiscard]] std::unique_ptr<File> open(const std::string& name) override;
    void commit() override {}

    /// The files that were closed; the object has none afterwards.
    [[nodiscard]] Texts take() { return std::move(texts_); }

private:
    class MemoryFile;
    Texts texts_;
};

/// The files of a run that is over: in memory, or in the folder that a command wrote.
class StoredRun {
public:
    explicit StoredRun(Texts texts) : texts_(std::move(texts)) {}
    /// Errors: core::InputError where the folder has no manifest of berth.
    explicit StoredRun(std::filesystem::path folder);

    /// Sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Errors: core::InputError where there is no such file; std::system_error where it cannot be
    ///         read.
    [[nodiscard]] std::shared_ptr<const std::string> text(const std::string& name) const;
    /// A table by the name of its file, without `.csv`.
    /// Errors: as text(), and core::InputError at a field that is not what its column holds.
    [[nodiscard]] std::shared_ptr<const report::TableColumns> table(const std::string& name,
                                                                    unsigned threads) const;
    /// Where it is on disk; empty where it is in memory.
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// Writes a copy of all files into a run directory, as `berth run -o` writes them.
    /// Errors: as RunDirectory.
    void write(const std::filesystem::path& folder) const;

private:
    std::filesystem::path folder_;
    Texts texts_;
};

}  // namespace berth::experiments
