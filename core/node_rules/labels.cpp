#include "core/node_rules/labels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace berth::core {
namespace {

/// What a character of a name is. A domain has no capital letters and no '_'.
enum Kind : std::uint8_t { small_or_digit = 1, large = 2, in_both = 4, in_name = 8 };

constexpr std::array<std::uint8_t, 256> kinds = [] {
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const char c = static_cast<char>(i);
        const bool is_small = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        table[i] = is_small               ? small_or_digit
                   : c >= 'A' && c <= 'Z' ? large
                   : c == '-' || c == '.' ? in_both
                   : c == '_'             ? in_name
                                          : 0;
    }
    return table;
}();

bool is(char c, unsigned of) {
    return (kinds[static_cast<unsigned char>(c)] & of) != 0;
}

/// Whether a text of at most `most` characters consists of those of `inside`, with one of `ends` at
/// both ends.
bool is_name(std::string_view text, std::size_t most, unsigned ends, unsigned inside) {
    return !text.empty() && text.size() <= most && is(text.front(), ends) &&
           is(text.back(), ends) &&
           std::ranges::all_of(text, [inside](char c) { return is(c, inside); });
}

bool is_name(std::string_view text) {
    return is_name(text, 63, small_or_digit | large, small_or_digit | large | in_both | in_name);
}

}  // namespace

bool is_label_value(std::string_view value) {
    return value.empty() || is_name(value);
}

/// A key is a name, with or without a domain and a slash before it.
bool is_label_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) {
        return is_name(key);
    }
    return is_name(key.substr(0, slash), 253, small_or_digit, small_or_digit | in_both) &&
           is_name(key.substr(slash + 1));
}

bool check_label_key(const Value& key, Diagnostics& diagnostics) {
    if (key.is_scalar() && is_label_key(key.text)) {
        return true;
    }
    expected(key,
             "the key of a label, such as pool or example.com/pool: at most 63 letters, digits, "
             "'-', '_' and '.' behind the slash",
             diagnostics);
    return false;
}

bool check_label_value(const Value& value, Diagnostics& diagnostics) {
    if (value.is_scalar() && is_label_value(value.text)) {
        return true;
    }
    expected(value,
             "the value of a label: at most 63 letters, digits, '-', '_' and '.', with a letter "
             "or a digit at both ends",
             diagnostics);
    return false;
}

bool check_label(const Member& label, Diagnostics& diagnostics) {
    if (is_label_key(label.key)) {
        return check_label_value(label.value, diagnostics);
    }
    Value key;
    key.kind = Value::Kind::scalar;
    key.text = label.key;
    key.span = label.key_span;
    return check_label_key(key, diagnostics);
}

Labels read_labels(const Value& labels, Diagnostics& diagnostics) {
    Labels out;
    if (!labels.is_map()) {
        expected(labels, "a map from labels to their values", diagnostics);
    }
    for (const Member& label : labels.members) {
        if (check_label(label, diagnostics)) {
            out[label.key] = label.value.text;
        }
    }
    return out;
}

}  // namespace berth::core
