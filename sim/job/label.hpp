#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace berth::sim {

/// A text that many jobs share, such as the name of their user. Each text is stored once, and a
/// label takes the space of a pointer.
///
/// Cost: O(1) to copy, to compare and to read. Making one from a text looks the text up among those
///       of all threads, O(its length); a text that is new takes about 100 bytes until the program
///       ends.
class Label {
public:
    Label() = default;
    template <std::convertible_to<std::string_view> Text>
        requires(!std::same_as<Text, Label>)
    Label(const Text& text) : text_(kept(text)) {}

    [[nodiscard]] const std::string& text() const { return *text_; }
    [[nodiscard]] bool empty() const { return text_->empty(); }
    operator const std::string&() const { return *text_; }
    operator std::string_view() const { return *text_; }

    friend bool operator==(const Label&, const Label&) = default;
    template <std::convertible_to<std::string_view> Text>
        requires(!std::same_as<Text, Label>)
    friend bool operator==(const Label& label, const Text& text) {
        return std::string_view(label) == std::string_view(text);
    }

private:
    /// Returns the one copy of a text.
    static const std::string* kept(std::string_view text);

    static const std::string none;
    const std::string* text_ = &none;
};

}  // namespace berth::sim

/// Hashes of labels differ from one run of a program to the next, as addresses do.
template <>
struct std::hash<berth::sim::Label> {
    std::size_t operator()(const berth::sim::Label& label) const {
        return std::hash<const std::string*>()(&label.text());
    }
};
