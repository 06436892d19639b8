#include "experiments/program/support/documents.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/json_text.hpp"
#include "experiments/program/support/json_values.hpp"
#include "experiments/program/support/yaml_advice.hpp"
#include "experiments/program/support/yaml_values.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::JsonText;
using core::SourceSpan;
using core::SourceText;
using core::Value;
using Source = std::shared_ptr<const SourceText>;

/// A document is held in memory, many times as large as its text; a trace is not.
constexpr std::size_t text_max = std::size_t{1} << 30U;

/// Packed so tightly, a text has hardly anything in it but its length.
constexpr std::size_t packing_max = 200;
constexpr std::size_t packed_text_min = std::size_t{1} << 26U;

std::string text_of(const std::string& file) {
    const auto in = workloads::open_text(file);
    std::string text;
    std::vector<char> block(std::size_t{1} << 16U);
    try {
        for (std::streamsize got = 1; got > 0;) {
            got = in->rdbuf()->sgetn(block.data(), std::ssize(block));
            text.append(block.data(), static_cast<std::size_t>(got));
            check_document_size(file, text.size());
        }
    } catch (const core::ReadError&) {
        throw;  // the disk, not what is on it
    } catch (const InputError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;  // the machine, not the file
    } catch (const std::exception& error) {
        throw InputError(
            fmt::format("{}: error: cannot be decompressed ({}): expected a whole "
                        "compressed file",
                        file,
                        error.what()));
    }
    return text;
}

SourceSpan span_of(const YAML::Mark& mark, std::size_t length, const Source& source) {
    return {
        source, mark.line + 1, mark.column + 1, static_cast<int>(std::max<std::size_t>(length, 1))};
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
        return " (is each ] and } one that closes a bracket?)";
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
    std::optional<YamlAdvice> advice;
    try {
        return parse_yaml_values(source->text, source, &advice);
    } catch (const YAML::Exception& error) {
        try {
            return parse_yaml_values(hide_path_brackets(source->text), source);
        } catch (const YAML::Exception&) {
            // What is wrong with the text as it is written is what helps.
        }
        if (const int line = line_with_tab(source->text); line > 0) {
            throw InputError(
                {source, line, 1, 1},
                "a tab in the indentation, which YAML does not allow: expected spaces");
        }
        if (advice) {
            throw InputError({source, advice->line, advice->column, 1}, advice->message);
        }
        throw InputError(
            span_of(error.mark, 1, source),
            fmt::format(
                "invalid YAML: {}: expected a valid document{}", error.msg, yaml_hint(error.msg)));
    }
}

}  // namespace

void check_document_size(const std::string& file, std::size_t size) {
    if (size <= packed_text_min) {
        return;
    }
    std::error_code unknown;
    const std::uintmax_t stored = std::filesystem::file_size(file, unknown);
    const bool packed = !unknown && stored < size / packing_max;
    if (size > text_max || packed) {
        throw core::InputError(
            fmt::format("{}: error: has more than {} MiB{}: expected a document of at "
                        "most 1 GiB; a trace may be of any size",
                        file,
                        size >> 20U,
                        packed ? fmt::format(", {} times what is stored",
                                             size / std::max<std::uintmax_t>(stored, 1))
                               : ""));
    }
}

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
            documents.push_back(JsonValues(source, json, source->text).value({}));
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

/// Whether a text is a word or number that stands as it is, whatever is around it.
bool is_plain_word(std::string_view text) {
    constexpr std::size_t length_max = 1024;  // of a key on one line
    const auto stands_first = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const auto stands = [&](char c) { return stands_first(c) || c == '_' || c == '.' || c == '-'; };
    return !text.empty() && text.size() <= length_max && stands_first(text.front()) &&
           std::ranges::all_of(text, stands) && text != "null" && text != "Null" && text != "NULL";
}

/// A plain or single-quoted text folds its line ends, \r among them, into a space.
void emit_text(YAML::Emitter& out, std::string_view text) {
    if (is_plain_word(text)) {
        // As a number is: to find out that a text needs no quotes takes yaml-cpp ten times as long.
        out.WriteIntegralType(text);
        return;
    }
    if (reads_back_from_literal(text)) {
        out << YAML::Literal;
    } else if (text.find_first_of("\r\n") != std::string_view::npos) {
        out << YAML::DoubleQuoted;
    }
    out << std::string(text);
}

void emit(YAML::Emitter& out, const Value& value) {
    switch (value.kind) {
        case Value::Kind::null:
            out << YAML::Null;
            break;
        case Value::Kind::scalar:
            emit_text(out, value.text);
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
                out << YAML::Key;
                emit_text(out, member.key);
                out << YAML::Value;
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
