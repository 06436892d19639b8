#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// How a run stores the tables that it writes row by row (results/stored/stored_table.hpp).
struct TableForm {
    bool arrow = false;
    bool zstd = false;

    [[nodiscard]] bool is_text() const { return !arrow && !zstd; }
};

/// The form that users name by `tables`, csv or arrow, and by `compress`, none or zst.
/// Errors: core::InputError at one of them, with `dashes` before its name.
[[nodiscard]] TableForm table_form(const std::string& tables,
                                   const std::string& compress,
                                   std::string_view dashes);

/// Stores the files that are opened here in another form among those of a run: `jobs.csv` as
/// `jobs.csv.zst` or `jobs.arrow`. Whoever appends packs; several threads may, to different files.
/// A file's digest is that of its text, so that it is the same in any form.
///
/// Cost: the packer of each file has about 4 MB by zstd, and about 20 MB for a batch of rows by
///       Arrow.
class PackedFiles final : public RunFiles {
public:
    /// `out` must outlive it.
    PackedFiles(RunFiles& out, const TableForm& form) : out_(out), form_(form) {}

    [[nodiscard]] std::unique_ptr<File> open(const std::string& name) override;
    [[nodiscard]] std::optional<UnnamedFile::Place> spill_place() const override {
        return out_.spill_place();
    }
    void commit() override { out_.commit(); }

private:
    class PackedFile;
    RunFiles& out_;
    TableForm form_;
};

}  // namespace berth::experiments
