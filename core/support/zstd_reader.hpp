#pragma once

#include <istream>
#include <memory>

namespace berth::core {

/// The text of a zstd file, as a stream. The file must contain at least one frame, and must end
/// where a frame ends.
///
/// Errors: everything that reads may throw std::runtime_error, which says why the file is not a
///         whole zstd file, and whatever the packed stream throws.
/// Source: RFC 8878, "Zstandard Compression and the 'application/zstd' Media Type".
class ZstdReader : public std::istream {
public:
    explicit ZstdReader(std::unique_ptr<std::istream> packed);
    ~ZstdReader() override;

private:
    class Buffer;
    std::unique_ptr<Buffer> buffer_;
};

}  // namespace berth::core
