#pragma once

#include <istream>
#include <memory>

namespace berth::core {

/// The text of a zstd file, as a stream. A file must end where a frame ends, and have one at least.
///
/// Errors: std::runtime_error from whatever reads, saying why it is no whole zstd file; what the
///         packed stream throws.
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
