#include "workloads/trace/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/file_reader.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {

std::size_t TextBlocks::read(char* to, std::size_t size) {
    // In pieces: what came before a failure still counts.
    constexpr std::size_t piece_bytes = std::size_t{1} << 14U;
    std::size_t count = 0;
    while (count < size && failure_.empty()) {
        const std::size_t piece = std::min(piece_bytes, size - count);
        try {
            const std::streamsize got =
                in_->rdbuf()->sgetn(to + count, static_cast<std::streamsize>(piece));
            if (got <= 0) {
                return count;
            }
            count += static_cast<std::size_t>(got);
        } catch (const core::ReadError& error) {
            failure_ = error.code().message();
            damaged_ = false;
        } catch (const std::exception& error) {
            failure_ = error.what();
        }
    }
    if (count == 0 && !failure_.empty()) {
        const bool packed = damaged_ && (file_.ends_with(".gz") || file_.ends_with(".zst"));
        throw CutShort(fmt::format("{}: error: {} ({}): expected a whole {}file",
                                   file_,
                                   packed ? "cut short or damaged" : "cannot be read to its end",
                                   failure_,
                                   packed ? "compressed " : ""));
    }
    return count;
}

}  // namespace berth::workloads
