#include "workloads/trace/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace berth::workloads {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18U;

}  // namespace

LineReader::LineReader(TextBlocks blocks, std::size_t line_bytes_max)
    : blocks_(std::move(blocks)),
      line_bytes_max_(line_bytes_max),
      buffer_(std::min(block_bytes, line_bytes_max + 2)) {}

bool LineReader::next() {
    too_long_ = false;
    if (rest_follows_) {
        pass_over_rest();
    }
    std::size_t searched = begin_;
    while (true) {
        const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
        if (found != nullptr) {
            const auto at =
                static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
            line_ = std::string_view(buffer_.data() + begin_, at - begin_);
            begin_ = at + 1;
            break;
        }
        const std::size_t length = end_ - begin_;
        if (length > line_bytes_max_ + 1) {  // one more byte may be the CR of the line end
            line_ = std::string_view(buffer_.data() + begin_, line_bytes_max_);
            too_long_ = true;
            rest_follows_ = true;
            ++number_;
            return true;
        }
        if (!fill()) {
            if (begin_ == end_) {
                return false;
            }
            line_ = std::string_view(buffer_.data() + begin_, end_ - begin_);
            begin_ = end_;
            cut_ = true;
            break;
        }
        searched = begin_ + length;
    }
    if (line_.ends_with('\r')) {
        line_.remove_suffix(1);
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (number_ == 0 && line_.starts_with(byte_order_mark)) {
        line_.remove_prefix(byte_order_mark.size());
    }
    too_long_ = line_.size() > line_bytes_max_;
    ++number_;
    return true;
}

void LineReader::pass_over_rest() {
    rest_follows_ = false;
    while (true) {
        const void* found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
        if (found != nullptr) {
            begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
            return;
        }
        begin_ = 0;
        end_ = 0;
        if (!fill()) {
            return;
        }
    }
}

bool LineReader::fill() {
    if (ended_) {
        return false;
    }
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) {
        buffer_.resize(std::min(2 * buffer_.size(), line_bytes_max_ + 2));
    }
    const std::size_t got = blocks_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    ended_ = got == 0;
    return got > 0;
}

}  // namespace berth::workloads
