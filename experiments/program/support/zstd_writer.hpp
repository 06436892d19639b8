#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "experiments/program/support/table_packer.hpp"

namespace berth::experiments {

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
