#include "workloads/trace/zstd_frames.hpp"

#include <algorithm>
#include <array>

namespace berth::workloads {

void ZstdFrames::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto take =
            static_cast<std::size_t>(std::min<std::uint64_t>(wanted_ - collected_, bytes.size()));
        for (std::size_t i = 0; i < take && collected_ + i < 4; ++i) {
            const auto byte = static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
            value_ |= byte << (8 * (collected_ + i));
        }
        collected_ += take;
        bytes.remove_prefix(take);
        if (collected_ == wanted_) {
            finish_part();
        }
    }
}

void ZstdFrames::begin(Part part, std::uint64_t bytes) {
    part_ = part;
    wanted_ = bytes;
    collected_ = 0;
    value_ = 0;
    if (bytes == 0) {
        finish_part();
    }
}

void ZstdFrames::finish_part() {
    switch (part_) {
        case Part::magic:
            return finish_magic();
        case Part::descriptor:
            return finish_descriptor();
        case Part::header:
            return begin(Part::block_header, 3);
        case Part::block_header:
            return finish_block_header();
        case Part::skipped_size:
            last_block_ = true;
            checksum_ = false;
            return begin(Part::block, value_);
        case Part::block:
            if (!last_block_) {
                return begin(Part::block_header, 3);
            }
            if (checksum_) {
                checksum_ = false;
                return begin(Part::block, 4);
            }
            frames_ = true;
            return begin(Part::magic, 4);
    }
}

void ZstdFrames::finish_magic() {
    constexpr std::uint32_t skippable = 0x184D2A50U;
    const bool skipped = (value_ & 0xFFFFFFF0U) == skippable;
    begin(skipped ? Part::skipped_size : Part::descriptor, skipped ? 4 : 1);
}

void ZstdFrames::finish_descriptor() {
    const std::uint32_t descriptor = value_;
    const bool single_segment = (descriptor & 0x20U) != 0;
    checksum_ = (descriptor & 0x04U) != 0;
    constexpr std::array<std::uint64_t, 4> dictionary_bytes{0, 1, 2, 4};
    constexpr std::array<std::uint64_t, 4> content_bytes{0, 2, 4, 8};
    const std::size_t content = descriptor >> 6U;
    const std::uint64_t size_bytes = content == 0 && single_segment ? 1 : content_bytes[content];
    begin(Part::header,
          (single_segment ? 0 : 1) + dictionary_bytes[descriptor & 0x03U] + size_bytes);
}

void ZstdFrames::finish_block_header() {
    last_block_ = (value_ & 1U) != 0;
    const bool run_length = ((value_ >> 1U) & 3U) == 1;
    begin(Part::block, run_length ? 1 : value_ >> 3U);
}

}  // namespace berth::workloads
