#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::workloads {

/// Follows a zstd file's frames while its bytes pass by, to tell whether the file is whole:
/// decompressors take the end of a file in the middle of a frame for the end of the text.
///
/// Source: RFC 8878, sections 3.1.1 and 3.1.2.
class ZstdFrames {
public:
    void feed(std::string_view bytes);
    /// Whether the bytes so far end where a frame ends, and there is one at least.
    [[nodiscard]] bool whole() const { return part_ == Part::magic && collected_ == 0 && frames_; }

private:
    enum class Part : std::uint8_t { magic, descriptor, header, block_header, block, skipped_size };

    void finish_part();
    void begin(Part part, std::uint64_t bytes);
    void finish_magic();
    void finish_descriptor();
    void finish_block_header();

    Part part_ = Part::magic;
    std::uint64_t wanted_ = 4;     ///< Bytes of the part.
    std::uint64_t collected_ = 0;  ///< Bytes of it so far.
    std::uint32_t value_ = 0;      ///< The first four of them, little-endian.
    bool checksum_ = false;
    bool last_block_ = false;
    bool frames_ = false;
};

}  // namespace berth::workloads
