#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// The form in which a run stores the tables that it writes row by row
/// (results/stored/stored_table.hpp).
struct TableForm {
    bool arrow = false;
    bool zstd = false;

    [[nodiscard]] bool is_text() const { return !arrow && !zstd; }
};

/// The form that users choose with `tables` (csv or arrow) and `compress` (none or zst).
/// Errors: core::InputError that names the wrong one, preceded by `dashes`.
[[nodiscard]] TableForm table_form(const std::string& tables,
                                   const std::string& compress,
                                   std::string_view dashes);

/// Stores the files of a run that are opened here in another form: `jobs.csv` as `jobs.csv.zst` or
/// `jobs.arrow`. The thread that appends also packs; several threads may append to different files.
/// A file's digest is that of its text, so it is the same in any form.
///
/// Cost: each file's packer takes about 4 MB for zstd, and about 20 MB for a batch of rows for
///       Arrow.
class PackedFiles final : public RunFiles {
public:
    /// `out` must outlive this object.
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
