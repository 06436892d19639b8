#include "experiments/program/config/document/embedded_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/yaml_advice.hpp"

namespace berth::experiments {
namespace {

using core::SourceSpan;
using core::Value;

/// Maps places in the text of a scalar to places in the document around it.
class PlaceMap {
public:
    explicit PlaceMap(const Value& scalar) : scalar_(scalar) {
        if (!scalar.span.source || scalar.span.line < 1) {
            return;
        }
        const std::string_view outer = scalar.span.source->text;
        const std::string_view written = line_of(outer, scalar.span.line);
        const auto column = static_cast<std::size_t>(scalar.span.column) - 1;
        const std::string_view rest = written.substr(std::min(column, written.size()));
        if (rest.starts_with('|')) {
            const std::string_view first = line_of(outer, scalar.span.line + 1);
            const std::size_t indent = first.find_first_not_of(' ');
            if (indent != std::string_view::npos) {
                found_ = true;
                line_offset_ = scalar.span.line;
                column_offset_ = static_cast<int>(indent);
            }
        } else {
            const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
            found_ = rest.substr(quoted ? 1 : 0).starts_with(scalar.text);
            line_offset_ = scalar.span.line - 1;
            column_offset_ = scalar.span.column - 1 + (quoted ? 1 : 0);
        }
    }
    [[nodiscard]] SourceSpan outer(const SourceSpan& inner) const {
        if (!found_ || inner.line < 1) {
            return scalar_.span;
        }
        return {scalar_.span.source,
                inner.line + line_offset_,
                inner.column + column_offset_,
                inner.length};
    }
    void apply(Value& value) const {
        value.span = outer(value.span);
        for (Value& item : value.items) {
            apply(item);
        }
        for (core::Member& member : value.members) {
            member.key_span = outer(member.key_span);
            apply(member.value);
        }
    }

private:
    const Value& scalar_;
    bool found_ = false;
    int line_offset_ = 0;
    int column_offset_ = 0;
};

SourceSpan span_at(const std::string& text, std::size_t byte) {
    const std::string_view before = std::string_view(text).substr(0, byte);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return {nullptr, static_cast<int>(line), static_cast<int>(byte - begin) + 1, 1};
}

/// The message of an error without its place and the lines that show it.
std::string_view message_of(const core::InputError& error) {
    constexpr std::string_view before = "error: ";
    std::string_view said = error.what();
    said = said.substr(0, said.find('\n'));
    const std::size_t at = said.find(before);
    return at == std::string_view::npos ? said : said.substr(at + before.size());
}

}  // namespace

std::optional<Value> parse_embedded_json(const Value& text,
                                         std::string_view expectation,
                                         core::Diagnostics& diagnostics) {
    if (!text.is_scalar()) {
        expected(text, fmt::format("a text that is JSON: {}", expectation), diagnostics);
        return std::nullopt;
    }
    const PlaceMap places(text);
    try {
        [[maybe_unused]] const auto parsed = parsed_json(text.text);
    } catch (const nlohmann::ordered_json::parse_error& error) {
        const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
        diagnostics.error(
            places.outer(span_at(text.text, byte)),
            fmt::format("no JSON from byte {} of the text on: expected {}", byte + 1, expectation));
        return std::nullopt;
    } catch (const nlohmann::ordered_json::out_of_range&) {
        diagnostics.error(text.span, fmt::format("a number {}", beyond_numbers));
        return std::nullopt;
    }
    auto inner = std::make_shared<core::SourceText>();
    inner->text = text.text;
    std::vector<Value> documents;
    try {
        documents = parse_documents(inner);
    } catch (const core::InputError& error) {  // it is JSON, but documents have stricter rules
        diagnostics.error(text.span, fmt::format("in the text: {}", message_of(error)));
        return std::nullopt;
    }
    if (documents.size() != 1) {  // `null`
        expected(text, expectation, diagnostics);
        return std::nullopt;
    }
    places.apply(documents[0]);
    return std::move(documents[0]);
}

}  // namespace berth::experiments
