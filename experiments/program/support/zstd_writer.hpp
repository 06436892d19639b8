#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace berth::experiments {

/// Packs a text as one zstd frame with a checksum, at the library's usual level.
///
/// The bytes follow from the text, from how it is cut into pieces, and from the version of the
/// library.
class ZstdWriter {
public:
    ZstdWriter();
    ~ZstdWriter();
    ZstdWriter(const ZstdWriter&) = delete;
    ZstdWriter& operator=(const ZstdWriter&) = delete;

    /// Returns: what the pieces so far came to that was not returned before.
    [[nodiscard]] std::string add(std::string_view piece);
    /// The rest of the frame; call it once, at the end.
    [[nodiscard]] std::string finish();

private:
    class Frame;
    std::unique_ptr<Frame> frame_;
};

}  // namespace berth::experiments
