#include "core/support/json_text.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace berth::core {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int hex_digit(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Eight bytes of a text as one number, with the first byte lowest.
std::uint64_t eight_bytes(const char* text) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    return word;
}

constexpr std::uint64_t in_each_byte(unsigned char byte) {
    return 0x0101010101010101U * byte;
}

/// Sets the highest bit of each byte that is zero. Behind the first such byte, the bits may be
/// wrong.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
    return (word - in_each_byte(1)) & ~word & in_each_byte(0x80);
}

/// The number of bytes of a string before the first one that ends the string, begins an escape, or
/// is not allowed. Keys and values are short, but long enough that reading eight bytes at a time is
/// faster.
std::size_t plain_length(std::string_view text) {
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t word = eight_bytes(text.data() + at);
        const std::uint64_t control = (word - in_each_byte(0x20)) & ~word & in_each_byte(0x80);
        const std::uint64_t special =
            control | zero_bytes(word ^ in_each_byte('"')) | zero_bytes(word ^ in_each_byte('\\'));
        if (special != 0) {
            return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
        }
    }
    while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
           static_cast<unsigned char>(text[at]) >= 0x20) {
        ++at;
    }
    return at;
}

/// The number that four hexadecimal digits stand for.
std::uint32_t code_unit(std::string_view digits) {
    std::uint32_t value = 0;
    for (const char c : digits.substr(0, 4)) {
        value = 16 * value + static_cast<std::uint32_t>(hex_digit(c));
    }
    return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0U | (code >> 6U));
        byte(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        byte(0xE0U | (code >> 12U));
        byte(0x80U | ((code >> 6U) & 0x3FU));
        byte(0x80U | (code & 0x3FU));
    } else {
        byte(0xF0U | (code >> 18U));
        byte(0x80U | ((code >> 12U) & 0x3FU));
        byte(0x80U | ((code >> 6U) & 0x3FU));
        byte(0x80U | (code & 0x3FU));
    }
}

/// Appends the character that `\uXXXX` at the head of `text` stands for. Half of a surrogate pair
/// that stands alone becomes U+FFFD. Returns how many bytes it read.
std::size_t append_escaped_unicode(std::string& out, std::string_view text) {
    const std::uint32_t high = code_unit(text.substr(2));
    const bool is_high = high >= 0xD800 && high < 0xDC00;
    if (is_high && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
        const std::uint32_t low = code_unit(text.substr(8));
        if (low >= 0xDC00 && low < 0xE000) {
            append_utf8(out, 0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00));
            return 12;
        }
    }
    append_utf8(out, high >= 0xD800 && high < 0xE000 ? 0xFFFD : high);
    return 6;
}

}  // namespace

/// Parses one text into a JsonText.
class JsonParser {
public:
    JsonParser(JsonText& out, std::string_view text, std::size_t levels_max)
        : out_(out), text_(text), levels_max_(levels_max) {}

    std::optional<std::size_t> run() {
        skip_blanks();
        if (!value(0)) {
            return at_;
        }
        skip_blanks();
        return at_ == text_.size() ? std::nullopt : std::optional(at_);
    }

    std::optional<std::size_t> run_first(std::size_t depth) {
        return value(depth) ? std::optional(at_) : std::nullopt;
    }

private:
    using Kind = JsonText::Kind;

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool eat(char c) {
        if (peek() != c || at_ == text_.size()) {
            return false;
        }
        ++at_;
        return true;
    }

    [[nodiscard]] bool at_blank() const {
        const char c = peek();
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }
    void skip_blanks() {
        while (at_blank()) {
            ++at_;
            // Text written for people is indented: half of its bytes may be spaces.
            while (at_ + sizeof(std::uint64_t) <= text_.size() &&
                   eight_bytes(text_.data() + at_) == in_each_byte(' ')) {
                at_ += sizeof(std::uint64_t);
            }
        }
    }

    std::size_t open(Kind kind) {
        out_.values_.push_back({static_cast<std::uint32_t>(at_), 0, 0, kind, false});
        return out_.values_.size() - 1;
    }
    void close(std::size_t value) {
        out_.values_[value].end = static_cast<std::uint32_t>(at_);
        out_.values_[value].next = static_cast<std::uint32_t>(out_.values_.size());
    }

    bool value(std::size_t depth) {
        switch (peek()) {
            case '{':
                return container(depth, Kind::map, '}');
            case '[':
                return container(depth, Kind::list, ']');
            case '"':
                return string();
            case 't':
                return word("true", Kind::boolean);
            case 'f':
                return word("false", Kind::boolean);
            case 'n':
                return word("null", Kind::null);
            default:
                return number();
        }
    }

    bool container(std::size_t depth, Kind kind, char end) {
        if (depth == levels_max_) {
            return false;
        }
        const std::size_t self = open(kind);
        ++at_;
        skip_blanks();
        while (!eat(end)) {
            if (kind == Kind::map) {
                if (peek() != '"' || !string()) {
                    return false;
                }
                skip_blanks();
                if (!eat(':')) {
                    return false;
                }
                skip_blanks();
            }
            if (!value(depth + 1)) {
                return false;
            }
            skip_blanks();
            if (eat(',')) {
                skip_blanks();
                if (peek() == end) {
                    return false;
                }
            } else if (peek() != end) {
                return false;
            }
        }
        close(self);
        return true;
    }

    bool word(std::string_view expected, Kind kind) {
        if (text_.substr(at_, expected.size()) != expected) {
            return false;
        }
        const std::size_t self = open(kind);
        at_ += expected.size();
        close(self);
        return true;
    }

    bool string() {
        const std::size_t self = open(Kind::string);
        ++at_;
        while (true) {
            at_ += plain_length(text_.substr(at_));
            if (eat('"')) {
                close(self);
                return true;
            }
            if (!eat('\\')) {
                return false;
            }
            out_.values_[self].escapes = true;
            if (!escape()) {
                return false;
            }
            ++at_;
        }
    }

    /// Checks what follows a backslash, and stops at its last letter.
    bool escape() {
        constexpr std::string_view letters = "\"\\/bfnrt";
        if (at_ < text_.size() && letters.find(text_[at_]) != std::string_view::npos) {
            return true;
        }
        if (peek() != 'u') {
            return false;
        }
        for (int digit = 0; digit < 4; ++digit) {
            ++at_;
            if (hex_digit(peek()) < 0) {
                return false;
            }
        }
        return true;
    }

    bool digits() {
        const std::size_t begin = at_;
        while (is_digit(peek())) {
            ++at_;
        }
        return at_ > begin;
    }

    bool number() {
        const std::size_t self = open(Kind::number);
        eat('-');
        if (!eat('0') && !digits()) {
            return false;
        }
        if (eat('.') && !digits()) {
            return false;
        }
        if (eat('e') || eat('E')) {
            if (!eat('+')) {
                eat('-');
            }
            if (!digits()) {
                return false;
            }
        }
        close(self);
        return true;
    }

    JsonText& out_;
    std::string_view text_;
    std::size_t levels_max_;
    std::size_t at_ = 0;
};

std::optional<std::size_t> JsonText::parse(std::string_view text, std::size_t levels_max) {
    text_ = text;
    values_.clear();
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
        return 0;
    }
    return JsonParser(*this, text, levels_max).run();
}

std::optional<std::size_t> JsonText::parse_first(std::string_view text, std::size_t depth) {
    text_ = text.substr(0, std::numeric_limits<std::uint32_t>::max());
    values_.clear();
    constexpr std::size_t levels_max = 200;
    return JsonParser(*this, text_, levels_max).run_first(depth);
}

std::string_view JsonText::text(Index value) const {
    const Value& v = values_[value];
    if (v.kind != Kind::string) {
        return text_.substr(v.begin, v.end - v.begin);
    }
    std::string_view raw = text_.substr(v.begin + 1, v.end - v.begin - 2);
    if (!v.escapes) {
        return raw;
    }
    decoded_.clear();
    while (!raw.empty()) {
        const std::size_t plain = std::min(raw.find('\\'), raw.size());
        decoded_ += raw.substr(0, plain);
        raw.remove_prefix(plain);
        if (raw.empty()) {
            break;
        }
        constexpr std::string_view letters = "bfnrt";
        constexpr std::string_view meanings = "\b\f\n\r\t";
        const std::size_t letter = letters.find(raw[1]);
        if (raw[1] == 'u') {
            raw.remove_prefix(append_escaped_unicode(decoded_, raw));
            continue;
        }
        decoded_ += letter == std::string_view::npos ? raw[1] : meanings[letter];
        raw.remove_prefix(2);
    }
    return decoded_;
}

std::optional<JsonText::Index> JsonText::find_member(Index map, std::string_view key) const {
    if (kind(map) != Kind::map) {
        return std::nullopt;
    }
    const Index end = values_[map].next;
    for (Index at = map + 1; at < end; at = values_[at + 1].next) {
        const Value& v = values_[at];
        const std::string_view name = text_.substr(v.begin + 1, v.end - v.begin - 2);
        if (v.escapes ? text(at) == key : name == key) {
            return at + 1;
        }
    }
    return std::nullopt;
}

std::optional<JsonText::Index> JsonText::first(Index parent) const {
    return values_[parent].next > parent + 1 ? std::optional(parent + 1) : std::nullopt;
}

std::optional<JsonText::Index> JsonText::next(Index parent, Index child) const {
    const Index last = kind(parent) == Kind::map ? child + 1 : child;
    const Index behind = values_[last].next;
    return behind < values_[parent].next ? std::optional(behind) : std::nullopt;
}

}  // namespace berth::core
