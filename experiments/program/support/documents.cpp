#include "experiments/program/support/documents.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "core/support/file_kind.hpp"
#include "core/support/json_text.hpp"
#include "experiments/program/support/json_values.hpp"
#include "experiments/program/support/yaml_advice.hpp"
#include "experiments/program/support/yaml_values.hpp"
#include "workloads/trace/guess_format.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::JsonText;
using core::SourceSpan;
using core::SourceText;
using core::Value;
using Source = std::shared_ptr<const SourceText>;

/// The maximum size of a text, because a document takes many times its size in memory; a trace does
/// not.
constexpr std::size_t text_max = std::size_t{1} << 30U;

/// A trace on a pipe is held in memory too, because it is read more than once, but only as its
/// text.
constexpr std::size_t piped_trace_max = std::size_t{4} << 30U;

/// A text that was compressed by more than this contains hardly anything but its length.
constexpr std::size_t packing_max = 200;
constexpr std::size_t packed_text_min = std::size_t{1} << 26U;

/// The kinds of texts that are read as a whole.
enum class Wanted : std::uint8_t { document, piped_trace };

/// Why the beginning of a pipe or a device, which may have no end, cannot be that of a document or
/// a table; nothing if it can.
std::optional<std::string_view> why_no_beginning(std::string_view beginning, bool repeats_matter) {
    constexpr std::string_view between_words = " :,;|=\t{[<";
    if (beginning.find_first_of(between_words) == std::string_view::npos) {
        return "begins with neither a document nor a table";
    }
    const std::size_t line = beginning.find('\n') + 1;
    if (repeats_matter && line > 0 &&
        beginning.substr(line) == beginning.substr(0, beginning.size() - line)) {
        return "repeats its first line without end";
    }
    return std::nullopt;
}

/// Collects a text piece by piece, and checks each piece before it is kept. Input that is no text
/// therefore takes little memory, and a text never takes twice its size.
class TextGatherer {
public:
    /// `has_end`: whether it is a file, whose size is fixed.
    TextGatherer(const std::string& file, Wanted wanted, bool has_end)
        : file_(file), wanted_(wanted), has_end_(has_end) {}

    void add(std::string_view block) {
        if (pieces_.empty() || pieces_.back().size() + block.size() > piece_bytes) {
            const bool is_first = pieces_.empty();
            pieces_.emplace_back();
            if (!is_first) {
                pieces_.back().reserve(piece_bytes);
            }
        }
        pieces_.back() += block;
        const std::size_t before = size_;
        size_ += block.size();
        const bool is_document = wanted_ == Wanted::document;
        if (is_document || before < beginning_bytes) {
            if (const std::size_t at = block.find('\0'); at != std::string_view::npos) {
                refuse_bytes(pieces_.back().size() - block.size() + at);
            }
        }
        if (!has_end_) {
            check_beginning(before, beginning_bytes, is_document);
            check_beginning(before, long_beginning_bytes, true);
        }
        if (is_document) {
            check_document_size(file_, size_);
        } else if (size_ > piped_trace_max) {
            throw InputError(fmt::format(
                "{}: error: has more than {} GiB, and a pipe is held in memory: expected the name "
                "of a file, which may be of any size",
                file_,
                piped_trace_max >> 30U));
        }
    }

    [[nodiscard]] std::string text() && {
        if (pieces_.size() == 1) {
            return std::move(pieces_.front());
        }
        std::string whole;
        whole.reserve(size_);
        for (std::string& piece : pieces_) {
            whole += piece;
            std::string().swap(piece);
        }
        return whole;
    }

private:
    /// From 32 MiB on, freed memory goes back to the system at once.
    static constexpr std::size_t piece_bytes = std::size_t{1} << 26U;
    static constexpr std::size_t beginning_bytes = std::size_t{1} << 16U;
    /// A longer beginning, because a trace may have many equal rows.
    static constexpr std::size_t long_beginning_bytes = std::size_t{1} << 25U;

    /// Checks the beginning once, as soon as it has this many bytes.
    void check_beginning(std::size_t before, std::size_t bytes, bool repeats_matter) const {
        if (before >= bytes || size_ < bytes) {
            return;
        }
        if (const auto why = why_no_beginning(pieces_.front(), repeats_matter)) {
            throw InputError(
                fmt::format("{}: error: {}, in its first {} KiB: expected a document or a table",
                            file_,
                            *why,
                            bytes >> 10U));
        }
    }

    /// Refuses the byte at `at` of the last piece, which no text has.
    [[noreturn]] void refuse_bytes(std::size_t at) const {
        const workloads::FileGuess guess = workloads::guess_trace(pieces_.front());
        const auto* other = std::get_if<workloads::NoTrace>(&guess);
        if (pieces_.size() == 1 && other != nullptr && other->certain && other->what != "no text" &&
            at < workloads::guessed_bytes_max) {
            throw InputError(
                fmt::format("{}: error: is {}: expected {}", file_, other->what, other->expected));
        }
        std::ptrdiff_t line = 1;
        for (const std::string& piece : pieces_) {
            const std::size_t end = &piece == &pieces_.back() ? at : piece.size();
            line +=
                std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(end), '\n');
        }
        throw InputError(fmt::format(
            "{}: error: has the byte \\x00 in line {}, which no text has: expected UTF-8",
            file_,
            line));
    }

    const std::string& file_;
    Wanted wanted_;
    bool has_end_;
    std::vector<std::string> pieces_;
    std::size_t size_ = 0;
};

std::string gathered(std::istream& in, const std::string& file, Wanted wanted, bool has_end) {
    TextGatherer text(file, wanted, has_end);
    std::vector<char> block(std::size_t{1} << 16U);
    while (const auto got = in.rdbuf()->sgetn(block.data(), std::ssize(block))) {
        text.add({block.data(), static_cast<std::size_t>(got)});
    }
    return std::move(text).text();
}

/// The text of standard input. It is read once, however often it is asked for.
const std::string& standard_input(Wanted wanted) {
    static const std::string text = gathered(*workloads::open_text("-"), "-", wanted, false);
    return text;
}

std::string text_of(const std::string& file, Wanted wanted) {
    const auto in = workloads::open_text(file);
    const bool is_file = core::is_file(file);
    std::error_code unknown;
    const std::uintmax_t size = is_file ? std::filesystem::file_size(file, unknown) : 0;
    if (wanted == Wanted::document && !unknown && size > text_max) {
        check_document_size(file, size);
    }
    return gathered(*in, file, wanted, is_file);
}

SourceSpan span_of(const YAML::Mark& mark, std::size_t length, const Source& source) {
    return {
        source, mark.line + 1, mark.column + 1, static_cast<int>(std::max<std::size_t>(length, 1))};
}

/// The first line that is indented with a tab, which YAML forbids; 0 if there is none.
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

/// The usual cause of a message of the YAML parser, or "".
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
            // Only the errors of the text as it is written are helpful.
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

namespace {

/// Whether a text contains a key that documents have, as YAML or JSON write it.
bool looks_like_document(std::string_view text) {
    constexpr std::array<std::string_view, 6> keys{
        "kind", "apiVersion", "spec", "metadata", "items", "providers"};
    const auto begins_word = [&](std::size_t at) {
        return at == 0 ||
               std::string_view(" \n\t\"'{,-").find(text[at - 1]) != std::string_view::npos;
    };
    const auto is_key = [&](std::size_t behind) {
        const std::size_t colon = text.find_first_not_of(" \t\"'", behind);
        return colon != std::string_view::npos && text[colon] == ':';
    };
    return std::ranges::any_of(keys, [&](std::string_view key) {
        for (std::size_t at = text.find(key); at != std::string_view::npos;
             at = text.find(key, at + 1)) {
            if (begins_word(at) && is_key(at + key.size())) {
                return true;
            }
        }
        return false;
    });
}

}  // namespace

std::shared_ptr<const SourceText> read_source(const std::filesystem::path& file) {
    auto source = std::make_shared<SourceText>();
    source->name = file.string();
    if (file == "-") {
        source->text = standard_input(Wanted::document);
        check_document_size(source->name, source->text.size());
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
    source->text = text_of(source->name, Wanted::document);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (source->text.starts_with(byte_order_mark)) {
        source->text.erase(0, byte_order_mark.size());
    }
    source->may_be_shown = looks_like_document(source->text);
    return source;
}

std::shared_ptr<const std::string> read_piped_trace(const std::string& file) {
    if (file == "-") {
        return {std::shared_ptr<const void>(), &standard_input(Wanted::piped_trace)};
    }
    return std::make_shared<const std::string>(text_of(file, Wanted::piped_trace));
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

/// A literal block keeps a text as it is, except for the indentation at its beginning, its last
/// line ends, and \r.
bool reads_back_from_literal(std::string_view text) {
    return text.find('\r') == std::string_view::npos && text.ends_with('\n') &&
           !text.ends_with("\n\n") && !text.starts_with(' ') && !text.starts_with('\n');
}

/// Whether a text is a word or number that needs no quotes, whatever is around it.
bool is_plain_word(std::string_view text) {
    constexpr std::size_t length_max = 1024;  // maximum length of a key on one line
    const auto stands_first = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const auto stands = [&](char c) { return stands_first(c) || c == '_' || c == '.' || c == '-'; };
    return !text.empty() && text.size() <= length_max && stands_first(text.front()) &&
           std::ranges::all_of(text, stands) && text != "null" && text != "Null" && text != "NULL";
}

/// Writes a text. The plain and the single-quoted form fold line ends, including \r, into a space.
void emit_text(YAML::Emitter& out, std::string_view text) {
    if (is_plain_word(text)) {
        // Written like a number, because yaml-cpp takes ten times as long to find out that no
        // quotes are needed.
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
