#include "experiments/documents.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "experiments/path_brackets.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::SourceSpan;
using core::SourceText;
using core::Value;
using Source = std::shared_ptr<const SourceText>;

std::string decompressed(std::istream& in, const std::string& name) {
    namespace io = boost::iostreams;
    io::filtering_istream filtered;
    if (name.ends_with(".gz")) {
        filtered.push(io::gzip_decompressor());
    } else if (name.ends_with(".zst")) {
        filtered.push(io::zstd_decompressor());
    }
    filtered.push(in);
    std::ostringstream out;
    try {
        io::copy(filtered, out);
    } catch (const std::exception& error) {
        throw InputError(
            fmt::format("{}: error: cannot be decompressed ({}): expected a whole "
                        "compressed file",
                        name,
                        error.what()));
    }
    return out.str();
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
        return " (is there a blank behind each colon of a key, in the lines before too?)";
    }
    if (says("end of map not found") || says("end of sequence not found")) {
        return " (is the line indented as those around it?)";
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
                "no YAML: {}: expected a well-formed document{}", error.msg, yaml_hint(error.msg)));
    }
}

// JSON -------------------------------------------------------------------------------------------

/// Where the parser is in the text; the parser itself only counts the line it is in.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** shared) : at_(at), shared_(shared) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        *shared_ = at_;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** shared_;
};

/// Builds Values from the parser's events.
class ValueBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit ValueBuilder(const Source& source) : source_(source), text_(source->text) {
        line_begin_.push_back(0);
        for (std::size_t at = text_.find('\n'); at != std::string_view::npos;
             at = text_.find('\n', at + 1)) {
            line_begin_.push_back(at + 1);
        }
    }
    const char* position = nullptr;  ///< Kept up to date by the iterator.

    Value take() { return std::move(root_); }
    [[nodiscard]] SourceSpan span(std::size_t begin, std::size_t end) const {
        const auto line = std::ranges::upper_bound(line_begin_, begin) - line_begin_.begin();
        return {source_,
                static_cast<int>(line),
                static_cast<int>(begin - line_begin_[static_cast<std::size_t>(line - 1)] + 1),
                static_cast<int>(end - begin)};
    }

    bool null() override { return add(Value::Kind::null, nullptr); }
    bool boolean(bool) override { return add(Value::Kind::scalar, nullptr); }
    bool number_integer(number_integer_t) override { return add(Value::Kind::scalar, nullptr); }
    bool number_unsigned(number_unsigned_t) override { return add(Value::Kind::scalar, nullptr); }
    bool number_float(number_float_t, const string_t&) override {
        return add(Value::Kind::scalar, nullptr);
    }
    bool string(string_t& text) override { return add(Value::Kind::scalar, &text); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Value::Kind::map); }
    bool start_array(std::size_t) override { return open(Value::Kind::list); }
    bool end_object() override {
        reject_duplicates(*open_.back());
        return close();
    }
    bool end_array() override { return close(); }
    bool key(string_t& text) override {
        const auto [begin, end] = next_token();
        open_.back()->members.push_back({text, span(begin, end), {}});
        return true;
    }
    bool parse_error(std::size_t byte,
                     const std::string&,
                     const nlohmann::json::exception&) override {
        error_at = byte > 0 ? byte - 1 : 0;
        return false;
    }
    std::size_t error_at = 0;

private:
    /// The token that the parser just read begins after the last one and its separators.
    std::pair<std::size_t, std::size_t> next_token() {
        const std::size_t begin = text_.find_first_not_of(" \t\r\n,:", last_end_);
        std::size_t end = begin + 1;
        if (text_[begin] == '"') {
            end = static_cast<std::size_t>(position - text_.data());
        } else if (std::string_view("{}[]").find(text_[begin]) == std::string_view::npos) {
            end = std::min(text_.find_first_of(" \t\r\n,:]}", begin), text_.size());
        }
        last_end_ = end;
        return {begin, end};
    }
    Value& place() {
        if (open_.empty()) {
            return root_;
        }
        Value& parent = *open_.back();
        return parent.is_map() ? parent.members.back().value : parent.items.emplace_back();
    }
    bool add(Value::Kind kind, string_t* text) {
        const auto [begin, end] = next_token();
        Value& value = place();
        value.kind = kind;
        value.span = span(begin, end);
        if (kind == Value::Kind::scalar) {
            value.text = text ? std::move(*text) : std::string(text_.substr(begin, end - begin));
        }
        return true;
    }
    bool open(Value::Kind kind) {
        if (open_.size() == depth_max) {
            return false;
        }
        const auto [begin, end] = next_token();
        Value& value = place();
        value.kind = kind;
        value.span = span(begin, end);
        open_.push_back(&value);
        return true;
    }
    bool close() {
        next_token();
        open_.pop_back();
        return true;
    }

    Source source_;
    std::string_view text_;
    std::vector<std::size_t> line_begin_;
    Value root_;
    // Pointers stay good: a parent's list grows only after its last item is closed.
    std::vector<Value*> open_;
    std::size_t last_end_ = 0;
};

/// Nothing if the text is no JSON.
std::optional<Value> parse_json(const Source& source) {
    ValueBuilder builder(source);
    const char* begin = source->text.data();
    const char* end = begin + source->text.size();
    builder.position = begin;
    if (!nlohmann::json::sax_parse(CountingIterator(begin, &builder.position),
                                   CountingIterator(end, &builder.position),
                                   &builder)) {
        return std::nullopt;
    }
    return builder.take();
}

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
    std::error_code ignored;
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file, ignored)) {
        const char* why = in ? "is a directory" : std::strerror(errno);
        const bool is_run = in && std::filesystem::exists(file / "experiment.yaml", ignored);
        const bool is_sweep = in && std::filesystem::exists(file / "sweep.yaml", ignored);
        if (is_run || is_sweep) {
            const char* inside = is_run ? "experiment.yaml" : "sweep.yaml";
            throw InputError(
                fmt::format("{}: error: is a folder of results: expected a document, "
                            "such as {} in it",
                            file.string(),
                            (file / inside).string()));
        }
        throw InputError(fmt::format(
            "{}: error: cannot be read ({}): expected a readable file", file.string(), why));
    }
    source->text = decompressed(in, source->name);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (source->text.starts_with(byte_order_mark)) {
        source->text.erase(0, byte_order_mark.size());
    }
    return source;
}

std::vector<Value> parse_documents(const std::shared_ptr<const SourceText>& source) {
    const std::size_t first = source->text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (source->text[first] == '{' || source->text[first] == '[')) {
        if (auto value = parse_json(source)) {
            std::vector<Value> documents;
            documents.push_back(std::move(*value));
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
