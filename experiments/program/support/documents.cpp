#include "experiments/program/support/documents.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/json_text.hpp"
#include "experiments/program/support/path_brackets.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::JsonText;
using core::SourceSpan;
using core::SourceText;
using core::Value;
using Source = std::shared_ptr<const SourceText>;

std::string text_of(const std::string& file) {
    const auto in = workloads::open_text(file);
    std::string text;
    std::vector<char> block(std::size_t{1} << 16U);
    try {
        for (std::streamsize got = 1; got > 0;) {
            got = in->rdbuf()->sgetn(block.data(), std::ssize(block));
            text.append(block.data(), static_cast<std::size_t>(got));
        }
    } catch (const core::ReadError&) {
        throw;  // the disk, not what is on it
    } catch (const std::exception& error) {
        throw InputError(
            fmt::format("{}: error: cannot be decompressed ({}): expected a whole "
                        "compressed file",
                        file,
                        error.what()));
    }
    return text;
}

// YAML -------------------------------------------------------------------------------------------

SourceSpan span_of(const YAML::Mark& mark, std::size_t length, const Source& source) {
    return {
        source, mark.line + 1, mark.column + 1, static_cast<int>(std::max<std::size_t>(length, 1))};
}

void reject_duplicates(const Value& map) {
    std::vector<const core::Member*> sorted;
    for (const core::Member& member : map.members) {
        sorted.push_back(&member);
    }
    std::ranges::stable_sort(sorted, {}, [](const core::Member* member) { return member->key; });
    const auto twice = std::ranges::adjacent_find(
        sorted, [](const auto* a, const auto* b) { return a->key == b->key; });
    if (twice != sorted.end()) {
        const core::Member& second = **(twice + 1);
        throw InputError(
            second.key_span,
            fmt::format("the key '{}' occurs twice: expected each key once", second.key));
    }
}

/// Aliases are copied, so a text can stand for more values than it has characters.
constexpr std::size_t values_max = 100'000'000;

/// No person's document is deeper; one whose alias names what it stands in has no end.
constexpr std::size_t depth_max = 500;

Value convert(const YAML::Node& node,
              const Source& source,
              std::size_t& count,
              std::size_t depth = 0) {
    Value value;
    if (depth == depth_max) {
        throw InputError(span_of(node.Mark(), 1, source),
                         fmt::format("nested too deep: expected at most {} levels", depth_max));
    }
    if (++count > values_max) {
        throw InputError(span_of(node.Mark(), 1, source),
                         fmt::format("too many values: expected at most {}", values_max));
    }
    value.span = span_of(node.Mark(), node.IsScalar() ? node.Scalar().size() : 1, source);
    switch (node.Type()) {
        case YAML::NodeType::Undefined:
        case YAML::NodeType::Null:
            break;
        case YAML::NodeType::Scalar:
            value.kind = Value::Kind::scalar;
            value.text = show_path_brackets(node.Scalar());
            break;
        case YAML::NodeType::Sequence:
            value.kind = Value::Kind::list;
            for (const YAML::Node& item : node) {
                value.items.push_back(convert(item, source, count, depth + 1));
            }
            break;
        case YAML::NodeType::Map:
            value.kind = Value::Kind::map;
            for (const auto& entry : node) {
                const YAML::Node& key = entry.first;
                const SourceSpan key_span =
                    span_of(key.Mark(), key.IsScalar() ? key.Scalar().size() : 1, source);
                if (!key.IsScalar()) {
                    throw InputError(key_span, "a key is no text: expected a name");
                }
                value.members.push_back({show_path_brackets(key.Scalar()),
                                         key_span,
                                         convert(entry.second, source, count, depth + 1)});
            }
            reject_duplicates(value);
            break;
    }
    return value;
}

std::vector<Value> convert_all(const std::string& text, const Source& source) {
    std::vector<Value> documents;
    std::size_t count = 0;
    for (const YAML::Node& node : YAML::LoadAll(text)) {
        if (!node.IsNull()) {
            documents.push_back(convert(node, source, count));
        }
    }
    return documents;
}

/// The first line that is indented with a tab, which YAML forbids; 0: none.
int line_with_tab(std::string_view text) {
    for (int line = 1;; ++line) {
        const std::size_t end = text.find('\n');
        const std::size_t letter = text.find_first_not_of(' ');
        if (letter < end && text[letter] == '\t') {
            return line;
        }
        if (end == std::string_view::npos) {
            return 0;
        }
        text.remove_prefix(end + 1);
    }
}

/// What is usually behind a message of the YAML parser, or "".
std::string_view yaml_hint(std::string_view message) {
    const auto says = [&](std::string_view part) {
        return message.find(part) != std::string_view::npos;
    };
    if (says("flow")) {
        return " (is each [ and { closed?)";
    }
    if (says("illegal map value")) {
        return " (is there a space after each key's colon, also in the lines above?)";
    }
    if (says("end of map not found") || says("end of sequence not found")) {
        return " (is it indented like the lines around it?)";
    }
    return "";
}

std::vector<Value> parse_yaml(const Source& source) {
    try {
        return convert_all(source->text, source);
    } catch (const YAML::Exception& error) {
        try {
            return convert_all(hide_path_brackets(source->text), source);
        } catch (const YAML::Exception&) {
            // What is wrong with the text as it is written is what helps.
        }
        if (const int line = line_with_tab(source->text); line > 0) {
            throw InputError(
                {source, line, 1, 1},
                "a tab in the indentation, which YAML does not allow: expected spaces");
        }
        throw InputError(
            span_of(error.mark, 1, source),
            fmt::format(
                "invalid YAML: {}: expected a valid document{}", error.msg, yaml_hint(error.msg)));
    }
}

// JSON -------------------------------------------------------------------------------------------

/// Makes Values of what stands in a JSON text.
class JsonValues {
public:
    JsonValues(const Source& source, const JsonText& json) : source_(source), json_(json) {
        const std::string_view text = source->text;
        for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
            line_begin_.push_back(at + 1);
        }
    }

    [[nodiscard]] Value value(JsonText::Index at) const {
        Value out;
        const JsonText::Kind kind = json_.kind(at);
        if (kind == JsonText::Kind::list || kind == JsonText::Kind::map) {
            out.kind = kind == JsonText::Kind::list ? Value::Kind::list : Value::Kind::map;
            out.span = span(at, 1);
            for (auto child = json_.first(at); child; child = json_.next(at, *child)) {
                if (kind == JsonText::Kind::list) {
                    out.items.push_back(value(*child));
                } else {
                    out.members.push_back({std::string(json_.text(*child)),
                                           span(*child, json_.length(*child)),
                                           value(*child + 1)});
                }
            }
            reject_duplicates(out);
            return out;
        }
        out.span = span(at, json_.length(at));
        if (kind != JsonText::Kind::null) {
            out.kind = Value::Kind::scalar;
            out.text = json_.text(at);
        }
        return out;
    }

private:
    [[nodiscard]] SourceSpan span(JsonText::Index at, std::size_t length) const {
        const std::size_t begin = json_.begin(at);
        const auto line = std::ranges::upper_bound(line_begin_, begin) - line_begin_.begin();
        return {source_,
                static_cast<int>(line),
                static_cast<int>(begin - line_begin_[static_cast<std::size_t>(line - 1)] + 1),
                static_cast<int>(length)};
    }

    const Source& source_;
    const JsonText& json_;
    std::vector<std::size_t> line_begin_{0};
};

}  // namespace

std::shared_ptr<const SourceText> read_source(const std::filesystem::path& file) {
    auto source = std::make_shared<SourceText>();
    source->name = file.string();
    if (file == "-") {
        // Read once, however often it is asked for.
        static const std::string standard_input(std::istreambuf_iterator<char>(std::cin), {});
        source->text = standard_input;
        return source;
    }
    for (const char* inside : {"experiment.yaml", "sweep.yaml"}) {
        if (core::exists(file / inside)) {
            throw InputError(
                fmt::format("{}: error: is a folder of results: expected a document, "
                            "such as {} in it",
                            file.string(),
                            (file / inside).string()));
        }
    }
    source->text = text_of(source->name);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (source->text.starts_with(byte_order_mark)) {
        source->text.erase(0, byte_order_mark.size());
    }
    return source;
}

std::vector<Value> parse_documents(const std::shared_ptr<const SourceText>& source) {
    const std::size_t first = source->text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (source->text[first] == '{' || source->text[first] == '[')) {
        JsonText json;
        if (!json.parse(source->text)) {
            std::vector<Value> documents;
            documents.push_back(JsonValues(source, json).value(JsonText::root()));
            return documents;
        }
    }
    return parse_yaml(source);
}

namespace {

/// A literal block keeps text as it is, but for its first indentation, its last line ends, and \r.
bool reads_back_from_literal(std::string_view text) {
    return text.find('\r') == std::string_view::npos && text.ends_with('\n') &&
           !text.ends_with("\n\n") && !text.starts_with(' ') && !text.starts_with('\n');
}

void emit(YAML::Emitter& out, const Value& value) {
    switch (value.kind) {
        case Value::Kind::null:
            out << YAML::Null;
            break;
        case Value::Kind::scalar:
            if (value.text.find('\n') != std::string::npos) {
                if (reads_back_from_literal(value.text)) {
                    out << YAML::Literal;
                } else {
                    out << YAML::DoubleQuoted;
                }
            }
            out << value.text;
            break;
        case Value::Kind::list:
            out << YAML::BeginSeq;
            for (const Value& item : value.items) {
                emit(out, item);
            }
            out << YAML::EndSeq;
            break;
        case Value::Kind::map:
            out << YAML::BeginMap;
            for (const core::Member& member : value.members) {
                out << YAML::Key << member.key << YAML::Value;
                emit(out, member.value);
            }
            out << YAML::EndMap;
            break;
    }
}

}  // namespace

std::string emit_yaml(const Value& value) {
    YAML::Emitter out;
    emit(out, value);
    return std::string(out.c_str()) + "\n";
}

}  // namespace berth::experiments
