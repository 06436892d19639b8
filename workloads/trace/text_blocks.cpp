#include "workloads/trace/text_blocks.hpp"

#include <fmt/format.h>

#include "workloads/trace/row_error.hpp"

namespace berth::workloads {

std::size_t TextBlocks::read(char* to, std::size_t size) {
    try {
        const std::streamsize got = in_->rdbuf()->sgetn(to, static_cast<std::streamsize>(size));
        return got > 0 ? static_cast<std::size_t>(got) : 0;
    } catch (const std::exception& error) {
        const bool packed = file_.ends_with(".gz") || file_.ends_with(".zst");
        throw CutShort(fmt::format("{}: error: {} ({}): expected a whole {}file",
                                   file_,
                                   packed ? "cut short or damaged" : "cannot be read to its end",
                                   error.what(),
                                   packed ? "compressed " : ""));
    }
}

}  // namespace berth::workloads
