#include "workloads/trace/json_elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/trace/row_error.hpp"

namespace berth::workloads {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18U;

bool is_blank(int c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string_view without_blanks_behind(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

}  // namespace

JsonElements::JsonElements(TextBlocks blocks, std::string_view list, std::size_t element_bytes_max)
    : blocks_(std::move(blocks)),
      list_(fmt::format("\"{}\"", list)),
      element_bytes_max_(element_bytes_max),
      buffer_(block_bytes) {}

bool JsonElements::next() {
    while (true) {
        element_.clear();
        too_long_ = false;
        while (is_blank(peek()) || peek() == ',') {
            take(1, false);
        }
        line_ = at_line_;
        column_ = at_column_;
        const int c = peek();
        if (c < 0) {
            if (where_ != Where::top) {
                fail_cut("the text ends within a list: expected ']'");
            }
            return false;
        }
        if (c == ']' && where_ != Where::top) {
            take(1, false);
            if (where_ == Where::items) {
                read_container(1, false);  // the rest of the object behind its items
            }
            where_ = Where::top;
        } else if (c == '[' && where_ == Where::top) {
            take(1, false);
            where_ = Where::list;
        } else if (c != '{' && c != '[') {
            read_scalar();
            return true;
        } else if (read_container(0, true) == Found::items) {
            where_ = Where::items;
        } else {
            return true;
        }
    }
}

int JsonElements::peek() {
    if (begin_ == end_) {
        begin_ = 0;
        end_ = blocks_.read(buffer_.data(), buffer_.size());
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (!started_ && std::string_view(buffer_.data(), end_).starts_with(byte_order_mark)) {
            begin_ = byte_order_mark.size();
        }
        started_ = true;
    }
    return begin_ == end_ ? -1 : static_cast<unsigned char>(buffer_[begin_]);
}

void JsonElements::take(std::size_t count, bool keep) {
    const std::string_view taken(buffer_.data() + begin_, count);
    const std::size_t last_break = taken.rfind('\n');
    if (last_break == std::string_view::npos) {
        at_column_ += count;
    } else {
        at_line_ += static_cast<std::uint64_t>(std::ranges::count(taken, '\n'));
        at_column_ = count - last_break;
    }
    if (keep && !too_long_) {
        element_ += taken.substr(0, element_bytes_max_ - element_.size());
        too_long_ = element_.size() == element_bytes_max_;
    }
    begin_ += count;
}

JsonElements::Found JsonElements::read_container(std::size_t depth, bool keep) {
    const bool may_have_items = keep && where_ == Where::top;
    while (true) {
        if (peek() < 0) {
            fail_cut("the text ends within an element: expected the rest of it");
        }
        const std::string_view ahead(buffer_.data() + begin_, end_ - begin_);
        std::size_t at = 0;
        while (at < ahead.size() && ahead[at] != '"' && ahead[at] != '{' && ahead[at] != '[' &&
               ahead[at] != '}' && ahead[at] != ']') {
            ++at;
        }
        take(at, keep);
        if (at == ahead.size()) {
            continue;
        }
        const char c = ahead[at];
        if (c == '"') {
            take_string(keep);
            continue;
        }
        if (c == '[' && depth == 1 && may_have_items && items_begin()) {
            take(1, false);
            return Found::items;
        }
        take(1, keep);
        depth = c == '{' || c == '[' ? depth + 1 : depth - 1;
        if (depth == 0) {
            return Found::element;
        }
    }
}

void JsonElements::take_string(bool keep) {
    take(1, keep);
    while (peek() >= 0) {
        const std::string_view ahead(buffer_.data() + begin_, end_ - begin_);
        const std::size_t at = std::min(ahead.find_first_of("\"\\"), ahead.size());
        const bool end = at < ahead.size() && ahead[at] == '"';
        const bool escape = at < ahead.size() && ahead[at] == '\\';
        take(std::min(at + 1, ahead.size()), keep);
        if (end) {
            return;
        }
        if (escape && peek() >= 0) {
            take(1, keep);
        }
    }
}

void JsonElements::read_scalar() {
    while (peek() >= 0 && peek() != '\n' && peek() != ',' && peek() != ']') {
        take(1, true);
    }
    if (element_.empty()) {
        take(1, true);  // a closing bracket without an opening one
    }
    element_ = without_blanks_behind(element_);
}

bool JsonElements::items_begin() const {
    std::string_view before = without_blanks_behind(element_);
    if (!before.ends_with(':')) {
        return false;
    }
    before.remove_suffix(1);
    return without_blanks_behind(before).ends_with(list_);
}

void JsonElements::fail_cut(std::string_view message) const {
    throw CutShort({file(), line_, column_, 1, element_, column_}, message);
}

}  // namespace berth::workloads
