#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/json_text.hpp"

namespace berth::experiments {

/// A value of a request, read from the request's text each time that it is asked for. It is small
/// and meant to be copied, and lives no longer than the RequestText. A default value is null.
class RequestValue {
public:
    using Index = core::JsonText::Index;

    RequestValue() = default;
    RequestValue(const core::JsonText& text, Index at) : text_(&text), at_(at) {}

    [[nodiscard]] bool is_null() const { return is(core::JsonText::Kind::null); }
    [[nodiscard]] bool is_boolean() const { return is(core::JsonText::Kind::boolean); }
    [[nodiscard]] bool is_number() const { return is(core::JsonText::Kind::number); }
    [[nodiscard]] bool is_string() const { return is(core::JsonText::Kind::string); }
    [[nodiscard]] bool is_list() const { return is(core::JsonText::Kind::list); }
    [[nodiscard]] bool is_map() const { return is(core::JsonText::Kind::map); }

    /// A string without its quotes and escapes, any other value as it is written. The view lasts
    /// until the next text of the same request is asked for.
    [[nodiscard]] std::string_view text() const { return text_->text(at_); }
    /// The value as a boolean, a whole number of 64 bits, a number; nothing if it is none.
    [[nodiscard]] std::optional<bool> boolean() const;
    [[nodiscard]] std::optional<std::int64_t> whole() const;
    [[nodiscard]] std::optional<double> number() const;
    /// Whether the value is a whole number with room in 64 bits, with or without a sign.
    [[nodiscard]] bool is_whole() const;
    /// A copy, for answers that repeat what was asked.
    [[nodiscard]] nlohmann::ordered_json json() const;

    /// How many entries a list or a map has; 0 for any other value.
    [[nodiscard]] std::size_t size() const;
    /// The value under a key of a map, which may be null; nothing if the key is not there, or if
    /// this is not a map.
    [[nodiscard]] std::optional<RequestValue> find(std::string_view key) const {
        const auto found = text_ == nullptr ? std::nullopt : text_->find_member(at_, key);
        return found ? std::optional(RequestValue(*text_, *found)) : std::nullopt;
    }
    [[nodiscard]] bool contains(std::string_view key) const { return find(key).has_value(); }
    /// The same value, but null in place of nothing.
    [[nodiscard]] RequestValue operator[](std::string_view key) const {
        return find(key).value_or(RequestValue());
    }
    /// An entry of a list, which must have it. Cost: linear in `index`.
    [[nodiscard]] RequestValue item(std::size_t index) const;

    friend bool operator==(const RequestValue& value, std::string_view text) {
        return value.is_string() && value.text() == text;
    }

    /// A member of a map, with its key.
    struct Member;
    template <class Entry>
    class Entries;
    /// The entries of a list, or the members of a map; none for any other value.
    [[nodiscard]] Entries<RequestValue> items() const;
    [[nodiscard]] Entries<Member> members() const;

    [[nodiscard]] Index index() const { return at_; }

private:
    [[nodiscard]] bool is(core::JsonText::Kind kind) const {
        return text_ == nullptr ? kind == core::JsonText::Kind::null : text_->kind(at_) == kind;
    }

    const core::JsonText* text_ = nullptr;
    Index at_ = 0;
};

struct RequestValue::Member {
    std::string key;
    RequestValue value;
};

/// A range that makes each entry when it is reached.
template <class Entry>
class RequestValue::Entries {
public:
    class Iterator {
    public:
        Iterator(const core::JsonText* text, Index at) : text_(text), at_(at) {}
        Entry operator*() const {
            if constexpr (is_member) {
                return {std::string(text_->text(at_)), {*text_, at_ + 1}};
            } else {
                return {*text_, at_};
            }
        }
        Iterator& operator++() {
            at_ = text_->behind(is_member ? at_ + 1 : at_);
            return *this;
        }
        /// The number of the entry among all values.
        [[nodiscard]] Index index() const { return at_; }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

    private:
        const core::JsonText* text_;
        Index at_;
    };

    Entries() = default;
    Entries(const core::JsonText& text, Index parent)
        : text_(&text), begin_(parent + 1), end_(text.behind(parent)) {}
    [[nodiscard]] Iterator begin() const { return {text_, begin_}; }
    [[nodiscard]] Iterator end() const { return {text_, end_}; }
    [[nodiscard]] bool empty() const { return begin_ == end_; }

private:
    static constexpr bool is_member = requires(Entry entry) { entry.key; };

    const core::JsonText* text_ = nullptr;
    Index begin_ = 0;
    Index end_ = 0;
};

inline RequestValue::Entries<RequestValue> RequestValue::items() const {
    return is_list() ? Entries<RequestValue>(*text_, at_) : Entries<RequestValue>();
}

inline RequestValue::Entries<RequestValue::Member> RequestValue::members() const {
    return is_map() ? Entries<Member>(*text_, at_) : Entries<Member>();
}

/// The text of a request, parsed.
///
/// Limits: 1 000 levels.
class RequestText {
public:
    /// `text` must stay where it is.
    /// Errors: those of parsed_json(); RequestError for a text with too many levels.
    explicit RequestText(std::string_view text);
    /// The same for a value that the program made itself.
    explicit RequestText(const nlohmann::ordered_json& value);
    RequestText(const RequestText&) = delete;
    RequestText& operator=(const RequestText&) = delete;

    [[nodiscard]] RequestValue value() const { return {parsed_, core::JsonText::root()}; }

private:
    void parse_again(std::string text);

    /// The request as the program would write it; empty if its own text is simple enough.
    std::string written_again_;
    core::JsonText parsed_;
};

}  // namespace berth::experiments
