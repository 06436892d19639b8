#include "workloads/trace/row_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"

namespace berth::workloads {
namespace {

constexpr std::size_t shown_max = 120;

/// Whether a byte continues a UTF-8 character.
bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::string printable(std::string_view text) {
    std::string out(text);
    std::ranges::replace_if(
        out,
        [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; },
        '?');
    return out;
}

/// The part of a line that is shown, and the place of the caret in it.
struct Window {
    std::string text;
    std::size_t caret = 0;
};

Window window_of(std::string_view line, std::size_t at) {
    if (line.size() <= shown_max) {
        return {printable(line), at};
    }
    std::size_t begin = at > shown_max / 2 ? at - shown_max / 2 : 0;
    begin = std::min(begin, line.size() - shown_max);
    std::size_t end = begin + shown_max;
    while (begin < at && continues(line[begin])) {
        ++begin;
    }
    while (end > at + 1 && end < line.size() && continues(line[end])) {
        --end;
    }
    Window window;
    window.text = begin > 0 ? "..." : "";
    window.caret = window.text.size() + at - begin;
    window.text += printable(line.substr(begin, end - begin));
    window.text += end < line.size() ? "..." : "";
    return window;
}

}  // namespace

std::string render(const RowPlace& place, std::string_view message) {
    std::string out = fmt::format(
        "{}:{}:{}: error: {}{}",
        core::in_one_line(place.file),
        place.line,
        place.column,
        core::in_one_line(message),
        place.cut ? "; the file ends in this row, without a line end: is it whole?" : "");
    const std::size_t at = place.column - place.text_column;
    if (place.text.empty() || at > place.text.size()) {
        return out;
    }
    const Window window = window_of(place.text, at);
    std::string indent = window.text.substr(0, window.caret);
    std::ranges::replace_if(indent, [](char c) { return c != '\t'; }, ' ');
    const std::size_t room = std::max<std::size_t>(window.text.size() - indent.size(), 1);
    const std::size_t length = std::clamp<std::size_t>(place.length, 1, room);
    out += fmt::format("\n  {}\n  {}^{}", window.text, indent, std::string(length - 1, '~'));
    return out;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t quoted_max = 60;
    if (text.size() <= quoted_max) {
        return fmt::format("'{}'", printable(text));
    }
    std::size_t end = quoted_max;
    while (end > 0 && continues(text[end])) {
        --end;
    }
    return fmt::format("'{}...'", printable(text.substr(0, end)));
}

RowError::RowError(const RowPlace& place, std::string_view message)
    : core::InputError(core::MessageLines{render(place, message)}) {}

CutShort::CutShort(const RowPlace& place, std::string_view message)
    : core::InputError(core::MessageLines{render(place, message)}) {}

}  // namespace berth::workloads
