#include "experiments/program/run/packed_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/results/arrow/arrow_writer.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/support/zstd_writer.hpp"

namespace berth::experiments {
namespace {

/// Text is packed in pieces of this size, however it arrives, because the packed bytes depend on
/// the pieces.
constexpr std::size_t piece_bytes = std::size_t{1} << 18U;

report::Table table_of(const std::string& name) {
    const auto record = std::ranges::find(report::tables(), name, &report::TableRecord::file);
    BERTH_ASSERT(record != report::tables().end(), "a file that is written row by row is a table");
    return record->table;
}

}  // namespace

TableForm table_form(const std::string& tables,
                     const std::string& compress,
                     std::string_view dashes) {
    const auto is_other = [&](std::string_view option,
                              const std::string& given,
                              const std::vector<std::string>& known) {
        if (std::ranges::find(known, given) == known.end()) {
            throw core::InputError(fmt::format("{}{}: error: found '{}': expected {}{}",
                                               dashes,
                                               option,
                                               given,
                                               core::alternatives(known),
                                               core::suggestion(given, known)));
        }
        return given == known.back();
    };
    return {.arrow = is_other("tables", tables, {"csv", "arrow"}),
            .zstd = is_other("compress", compress, {"none", "zst"})};
}

/// Packs the text that is appended, in the thread that appends it.
class PackedFiles::PackedFile final : public File {
public:
    PackedFile(RunFiles& out,
               std::string name,
               std::unique_ptr<File> file,
               std::unique_ptr<TablePacker> packer)
        : out_(out), name_(std::move(name)), file_(std::move(file)), packer_(std::move(packer)) {}

    void append(std::string_view text) override {
        while (!text.empty()) {
            const std::string_view part = text.substr(0, piece_bytes - piece_.size());
            text.remove_prefix(part.size());
            if (part.size() == piece_bytes) {
                pack(part);
                continue;
            }
            piece_ += part;
            if (piece_.size() == piece_bytes) {
                pack(piece_);
                piece_.clear();
            }
        }
    }
    void close() override {
        pack(piece_);
        file_->append(packer_->finish());
        file_->close();
        out_.stands_for(name_, sha256_.hex());
    }

private:
    void pack(std::string_view piece) {
        sha256_.add(piece);
        file_->append(packer_->add(piece));
    }

    RunFiles& out_;
    std::string name_;
    std::unique_ptr<File> file_;
    std::unique_ptr<TablePacker> packer_;
    std::string piece_;  ///< Text that does not fill a piece yet.
    Sha256 sha256_;
};

std::unique_ptr<RunFiles::File> PackedFiles::open(const std::string& name) {
    const std::string file =
        report::file_stored_as(name, form_.arrow ? report::Form::arrow : report::Form::zstd);
    std::unique_ptr<TablePacker> packer;
    if (form_.arrow) {
        packer = std::make_unique<report::ArrowWriter>(table_of(name), file, form_.zstd);
    } else {
        packer = std::make_unique<ZstdWriter>();
    }
    return std::make_unique<PackedFile>(out_, name, out_.open(file), std::move(packer));
}

}  // namespace berth::experiments
