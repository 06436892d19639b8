#include "experiments/program/support/parsed_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/program/support/json_writer.hpp"

namespace berth::experiments {

using nlohmann::ordered_json;

namespace {

/// Builds a value from what nlohmann's parser reads. Its own builder lets maps grow member by
/// member, which copies all values in them each time that they grow.
class Builder {
public:
    explicit Builder(bool throws) : throws_(throws) {}

    /// The whole value; discarded after an error.
    ordered_json take() {
        return is_broken_ ? ordered_json(ordered_json::value_t::discarded) : std::move(root_);
    }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value) { return add(value); }
    bool number_float(double value, const std::string& /*text*/) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(ordered_json::binary_t& value) { return add(std::move(value)); }
    bool key(std::string& name) {
        opened_[depth_ - 1].names.push_back(std::move(name));
        return true;
    }
    bool start_object(std::size_t /*size*/) { return open(); }
    bool start_array(std::size_t /*size*/) { return open(); }

    bool end_object() {
        Opened& own = opened_[--depth_];
        ordered_json::object_t members;
        members.reserve(own.names.size());
        std::unordered_map<std::string_view, std::size_t> known;
        constexpr std::size_t few = 16;
        for (std::size_t i = 0; i < own.names.size(); ++i) {
            auto same = members.end();
            if (own.names.size() <= few) {
                same = std::ranges::find(members, own.names[i], [](const auto& member) -> auto& {
                    return member.first;
                });
            } else if (const auto found = known.find(own.names[i]); found != known.end()) {
                same = members.begin() + static_cast<std::ptrdiff_t>(found->second);
            }
            if (same != members.end()) {  // the last of several counts, in the first's place
                same->second = std::move(own.values[i]);
                continue;
            }
            members.emplace_back(std::move(own.names[i]), std::move(own.values[i]));
            if (own.names.size() > few) {
                known.emplace(members.back().first, members.size() - 1);
            }
        }
        own.names.clear();
        own.values.clear();
        return add(std::move(members));
    }

    bool end_array() {
        Opened& own = opened_[--depth_];
        ordered_json::array_t values(std::move_iterator(own.values.begin()),
                                     std::move_iterator(own.values.end()));
        own.values.clear();
        return add(std::move(values));
    }

    template <class Exception>
    bool parse_error(std::size_t /*byte*/, const std::string& /*token*/, const Exception& error) {
        if (throws_) {
            throw Exception(error);
        }
        is_broken_ = true;
        return false;
    }

private:
    /// A list or a map whose end is not read yet.
    struct Opened {
        std::vector<std::string> names;
        std::vector<ordered_json> values;
    };

    bool open() {
        if (depth_ == opened_.size()) {
            opened_.emplace_back();
        }
        ++depth_;
        return true;
    }

    template <class Value>
    bool add(Value&& value) {
        if (depth_ == 0) {
            root_ = ordered_json(std::forward<Value>(value));
        } else {
            opened_[depth_ - 1].values.emplace_back(std::forward<Value>(value));
        }
        return true;
    }

    bool throws_;
    bool is_broken_ = false;
    ordered_json root_;
    /// Those that are open, from the outermost one on, and beyond them some that may be used again.
    std::vector<Opened> opened_;
    std::size_t depth_ = 0;
};

/// nlohmann's serializer writes letter by letter. It writes what needs more than copying: escapes,
/// broken UTF-8, fractions.
std::string serialized(const ordered_json& value, int indent) {
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

template <typename Number>
void append_whole(Number number, std::string& out) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

ordered_json built(std::string_view text, bool throws) {
    Builder builder(throws);
    static_cast<void>(ordered_json::sax_parse(text, &builder));
    return builder.take();
}

}  // namespace

ordered_json parsed_json(std::string_view text) {
    return built(text, true);
}

ordered_json parsed_if_json(std::string_view text) {
    return built(text, false);
}

std::string dumped(const ordered_json& value, int indent) {
    if (indent >= 0) {
        return serialized(value, indent);
    }
    JsonWriter writer;
    writer.value(value);
    return writer.take();
}

void JsonWriter::value(std::string_view text) {
    separate();
    const bool is_plain = std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (is_plain) {
        text_ += '"';
        text_ += text;
        text_ += '"';
    } else {
        text_ += serialized(text, -1);
    }
}

void JsonWriter::value(bool truth) {
    separate();
    text_ += truth ? "true" : "false";
}

void JsonWriter::value(std::int64_t number) {
    separate();
    append_whole(number, text_);
}

void JsonWriter::value(std::uint64_t number) {
    separate();
    append_whole(number, text_);
}

void JsonWriter::value(const std::vector<std::string>& texts) {
    begin_list();
    for (const std::string& text : texts) {
        value(text);
    }
    end_list();
}

void JsonWriter::value(const ordered_json& json) {
    switch (json.type()) {
        case ordered_json::value_t::object:
            begin_map();
            for (const auto& [name, below] : json.get_ref<const ordered_json::object_t&>()) {
                member(name, below);
            }
            return end_map();
        case ordered_json::value_t::array:
            begin_list();
            for (const ordered_json& item : json) {
                value(item);
            }
            return end_list();
        case ordered_json::value_t::string:
            return value(json.get_ref<const std::string&>());
        case ordered_json::value_t::number_integer:
            return value(json.get<std::int64_t>());
        case ordered_json::value_t::number_unsigned:
            return value(json.get<std::uint64_t>());
        default:
            separate();
            text_ += serialized(json, -1);
    }
}

}  // namespace berth::experiments
