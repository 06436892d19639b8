#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace berth::experiments {

/// Makes the bytes of another form of a table of its text. They do not depend on how the text is
/// cut into pieces, unless it says so.
class TablePacker {
public:
    virtual ~TablePacker() = default;
    /// Returns: what the pieces so far came to that was not returned before.
    [[nodiscard]] virtual std::string add(std::string_view piece) = 0;
    /// The rest; call it once, at the end.
    [[nodiscard]] virtual std::string finish() = 0;
};

/// Packs a text as one zstd frame with a checksum, at the library's usual level.
///
/// The bytes follow from the text, from how it is cut into pieces, and from the version of the
/// library.
class ZstdWriter final : public TablePacker {
public:
    ZstdWriter();
    ~ZstdWriter() override;
    ZstdWriter(const ZstdWriter&) = delete;
    ZstdWriter& operator=(const ZstdWriter&) = delete;

    [[nodiscard]] std::string add(std::string_view piece) override;
    [[nodiscard]] std::string finish() override;

private:
    class Frame;
    std::unique_ptr<Frame> frame_;
};

/// A text as a zstd frame without a checksum.
[[nodiscard]] std::string zstd_packed(std::string_view text);

}  // namespace berth::experiments
