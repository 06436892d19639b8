#include "workloads/trace/swf_line.hpp"

#include <algorithm>

namespace berth::workloads {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// The next blank from `at` on. Searching with a set of characters takes three times as long.
/// Inlined like next_field(), because reading SWF does little else.
[[gnu::always_inline]] inline std::size_t next_blank(std::string_view line, std::size_t at) {
    while (at < line.size() && !is_blank(line[at])) {
        ++at;
    }
    return at;
}

/// The next byte from `at` on that is no blank.
[[gnu::always_inline]] inline std::size_t next_field(std::string_view line, std::size_t at) {
    while (at < line.size() && is_blank(line[at])) {
        ++at;
    }
    return at;
}

/// The place behind the brace that closes the one at `at`; the end of the line if no brace does.
std::size_t after_brace(std::string_view line, std::size_t at) {
    std::size_t depth = 0;
    do {
        depth += line[at] == '{' ? 1 : 0;
        depth -= line[at] == '}' ? 1 : 0;
        ++at;
    } while (depth > 0 && at < line.size());
    return at;
}

}  // namespace

void SwfLine::split(std::string_view line) {
    line_ = line;
    count_ = 0;
    braced_ = false;
    const std::size_t at = next_field(line, 0);
    if (at == line.size() || line[at] == ';' || line[at] == '#') {
        return;
    }
    if (line[at] == '{' && next_field(line, after_brace(line, at)) == line.size()) {
        braced_ = true;
        split_braced(at + 1, line.find_last_not_of(" \t}") + 1);
        return;
    }
    split_plain(line, at);
}

/// The loop in which reading SWF spends its time: for a field that begins like a number, it only
/// searches for the end.
void SwfLine::split_plain(std::string_view line, std::size_t at) {
    std::size_t count = 0;
    while (at < line.size()) {
        std::size_t end = next_blank(line, at + 1);
        if (line[at] > '9') {
            if (line[at] == ';') {
                break;
            }
            end = line[at] == '{' ? std::max(end, after_brace(line, at)) : end;
        }
        if (count < field_count) {
            fields_[count] = {at, end - at};
        }
        ++count;
        at = next_field(line, end);
    }
    count_ = count;
}

/// Between the braces around a line, a comma separates two fields like a blank, so there is an
/// empty field between two commas.
void SwfLine::split_braced(std::size_t begin, std::size_t end) {
    const std::string_view inner = line_.substr(0, std::max(begin, end));
    for (std::size_t at = next_field(inner, begin); at < inner.size();) {
        const std::size_t stop = std::min(inner.find_first_of(" \t,", at), inner.size());
        add(at, stop);
        at = next_field(inner, stop);
        if (at < inner.size() && inner[at] == ',') {
            at = next_field(inner, at + 1);
        }
    }
}

void SwfLine::add(std::size_t begin, std::size_t end) {
    if (count_ < field_count) {
        fields_[count_] = {begin, end - begin};
    }
    ++count_;
}

}  // namespace berth::workloads
