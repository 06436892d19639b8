#include "experiments/program/run/packed_files.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "experiments/program/support/sha256.hpp"
#include "experiments/program/support/zstd_writer.hpp"

namespace berth::experiments {
namespace {

/// Text is packed in pieces of one size, however it comes: the bytes depend on it.
constexpr std::size_t piece_bytes = std::size_t{1} << 18U;
constexpr std::size_t pieces_max = 16;

}  // namespace

/// What the thread does with the text of a file.
class PackedFiles::Content {
public:
    explicit Content(std::unique_ptr<File> packed) : packed_(std::move(packed)) {}

    void add(std::string_view piece) {
        sha256_.add(piece);
        packed_->append(zstd_.add(piece));
    }
    /// Returns: the digest of the text.
    std::string close() {
        packed_->append(zstd_.finish());
        packed_->close();
        return sha256_.hex();
    }

private:
    std::unique_ptr<File> packed_;
    Sha256 sha256_;
    ZstdWriter zstd_;
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

PackedFiles::PackedFiles(RunFiles& out, const TableForm& /*form*/)
    : out_(out), thread_(pieces_max) {}

std::unique_ptr<RunFiles::File> PackedFiles::open(const std::string& name) {
    return std::make_unique<PackedFile>(
        *this, name, std::make_shared<Content>(out_.open(name + ".zst")));
}

}  // namespace berth::experiments
