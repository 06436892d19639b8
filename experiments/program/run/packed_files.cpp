#include "experiments/program/run/packed_files.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/support/assert.hpp"
#include "experiments/program/results/arrow/arrow_writer.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/support/table_packer.hpp"
#include "experiments/program/support/zstd_writer.hpp"

namespace berth::experiments {
namespace {

/// Text is packed in pieces of one size, however it comes: the bytes depend on it.
constexpr std::size_t piece_bytes = std::size_t{1} << 18U;
constexpr std::size_t pieces_max = 16;

report::Table table_of(const std::string& name) {
    const auto record = std::ranges::find(report::tables(), name, &report::TableRecord::file);
    BERTH_ASSERT(record != report::tables().end(), "a file that is written row by row is a table");
    return record->table;
}

}  // namespace

/// What the thread does with the text of a file.
class PackedFiles::Content {
public:
    Content(std::unique_ptr<File> file, std::unique_ptr<TablePacker> packer)
        : file_(std::move(file)), packer_(std::move(packer)) {}

    void add(std::string_view piece) {
        sha256_.add(piece);
        file_->append(packer_->add(piece));
    }
    /// Returns: the digest of the text.
    std::string close() {
        file_->append(packer_->finish());
        file_->close();
        return sha256_.hex();
    }

private:
    std::unique_ptr<File> file_;
    std::unique_ptr<TablePacker> packer_;
    Sha256 sha256_;
};

class PackedFiles::PackedFile final : public File {
public:
    PackedFile(PackedFiles& files, std::string name, std::shared_ptr<Content> content)
        : files_(files), name_(std::move(name)), content_(std::move(content)) {}

    void append(std::string_view text) override {
        while (!text.empty()) {
            const std::string_view part = text.substr(0, piece_bytes - piece_.size());
            piece_ += part;
            text.remove_prefix(part.size());
            if (piece_.size() == piece_bytes) {
                give_piece();
            }
        }
    }
    void close() override {
        give_piece();
        files_.thread_.finish();
        files_.out_.stands_for(name_, content_->close());
    }

private:
    void give_piece() {
        files_.thread_.give(
            [content = content_, piece = std::exchange(piece_, {})] { content->add(piece); });
        piece_.reserve(piece_bytes);
    }

    PackedFiles& files_;
    std::string name_;
    std::string piece_;  ///< Text that was not given to the thread.
    /// The thread has a part in it: it may outlive the file where a run is broken off.
    std::shared_ptr<Content> content_;
};

PackedFiles::PackedFiles(RunFiles& out, const TableForm& form)
    : out_(out), form_(form), thread_(pieces_max) {}

std::unique_ptr<RunFiles::File> PackedFiles::open(const std::string& name) {
    if (form_.arrow) {
        const std::string file = report::file_stored_as(name, report::Form::arrow);
        return std::make_unique<PackedFile>(
            *this,
            name,
            std::make_shared<Content>(
                out_.open(file),
                std::make_unique<report::ArrowWriter>(table_of(name), file, form_.zstd)));
    }
    return std::make_unique<PackedFile>(
        *this,
        name,
        std::make_shared<Content>(out_.open(report::file_stored_as(name, report::Form::zstd)),
                                  std::make_unique<ZstdWriter>()));
}

}  // namespace berth::experiments
