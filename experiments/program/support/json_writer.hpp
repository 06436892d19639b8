#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::experiments {

/// Writes JSON on one line, value after value, without having it as a value first. Broken UTF-8 is
/// replaced. Whoever writes sees to it that keys differ.
class JsonWriter {
public:
    void begin_map() { begin('{'); }
    void end_map() { text_ += '}'; }
    void begin_list() { begin('['); }
    void end_list() { text_ += ']'; }
    void key(std::string_view name) {
        value(name);
        text_ += ':';
    }
    void value(std::string_view text);
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(const char* text) { value(std::string_view(text)); }
    void value(bool truth);
    void value(std::int64_t number);
    void value(std::uint64_t number);
    void value(std::int32_t number) { value(std::int64_t{number}); }
    void value(const std::vector<std::string>& texts);
    void value(const nlohmann::ordered_json& json);
    template <class Value>
    void member(std::string_view name, const Value& value_of_it) {
        key(name);
        value(value_of_it);
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    /// A comma stands before each value but the first one of a list or map, and that of a key.
    void separate() {
        if (!text_.empty() && text_.back() != '{' && text_.back() != '[' && text_.back() != ':') {
            text_ += ',';
        }
    }
    void begin(char bracket) {
        separate();
        text_ += bracket;
    }

    std::string text_;
};

}  // namespace berth::experiments
