#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace berth::experiments {

/// Converts the text of a table to the bytes of another format. The bytes do not depend on how the
/// text is split into pieces, unless a class says otherwise.
class TablePacker {
public:
    virtual ~TablePacker() = default;
    /// Returns: the bytes for the pieces so far that were not returned before.
    [[nodiscard]] virtual std::string add(std::string_view piece) = 0;
    /// The remaining bytes. Call it once, at the end.
    [[nodiscard]] virtual std::string finish() = 0;
};

/// Compresses a text as one zstd frame with a checksum, at the library's default level.
///
/// The bytes depend on the text, on how it is split into pieces, and on the version of the library.
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
