#include "experiments/program/support/yaml_values.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "experiments/program/support/plain_text.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::SourceSpan;
using core::Value;
using Source = std::shared_ptr<const core::SourceText>;

constexpr char hidden_open = '\x01';
constexpr char hidden_close = '\x02';

/// Whether a character may be part of an index or of the name of an entry.
bool is_of_name(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || c == '/';
}

bool is_of_key(char c) {
    return (is_of_name(c) && c != '/') || c == hidden_close;
}

/// Deeper than any document that a person writes.
constexpr std::size_t depth_max = 500;

/// Upper bound for copies of aliases: a short text can stand for any number of values.
constexpr std::size_t aliased_max = 1'000'000;

/// Makes Values from the parser's events.
class ValueBuilder final : public YAML::EventHandler {
public:
    explicit ValueBuilder(const Source& source) : source_(source) {}

    std::vector<Value> documents;

    [[noreturn]] void refuse_depth(const YAML::Mark& mark) const {
        throw InputError(span(mark, 1),
                         fmt::format("nested too deep: expected at most {} levels", depth_max));
    }
    void OnDocumentStart(const YAML::Mark& mark) override {
        // After a comma at the beginning, yaml-cpp 0.7 makes no progress and never ends.
        if (begin_ && *begin_ == mark.pos) {
            throw InputError(span(mark, 1), "found a ',' outside a list: expected a value");
        }
        begin_ = mark.pos;
        anchored_.clear();
    }
    void OnDocumentEnd() override {
        if (root_ && root_->kind != Value::Kind::null) {
            documents.push_back(std::move(*root_));
        }
        root_.reset();
    }
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Value value;
        value.span = span(mark, 1);
        add(std::move(value), anchor, 1);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto named = anchored_.find(anchor);
        if (named == anchored_.end()) {
            throw InputError(span(mark, 1),
                             "nested without end: this alias names what it stands in");
        }
        aliased_ += named->second.count;
        if (aliased_ > aliased_max) {
            throw InputError(
                span(mark, 1),
                fmt::format("aliases stand for too many values: expected at most {}", aliased_max));
        }
        add(Value(named->second.value), YAML::NullAnchor, named->second.count);
    }
    void OnScalar(const YAML::Mark& mark,
                  const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  const std::string& text) override {
        Value value;
        value.kind = Value::Kind::scalar;
        value.span = span(mark, text.size());
        value.text = show_path_brackets(text);
        reject_unwritable_text(value.text, value.span);
        add(std::move(value), anchor, 1);
    }
    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& /*tag*/,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(Value::Kind::list, mark, anchor, style);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark,
                    const std::string& /*tag*/,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(Value::Kind::map, mark, anchor, style);
    }
    void OnMapEnd() override {
        reject_duplicate_keys(open_.back().value);
        close();
    }

    /// The advice for an error of the parser.
    [[nodiscard]] std::optional<YamlAdvice> advice(const YAML::Exception& error) const {
        std::vector<OpenYaml> open;
        for (const Open& one : open_) {
            open.push_back({&one.value, one.flow});
        }
        return yaml_advice(
            source_->text, error.mark.line + 1, error.mark.column + 1, open, error.msg);
    }

private:
    /// A list or a map that the parser is still inside of.
    struct Open {
        Value value;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::optional<Value> key;  ///< The key of a map whose value is still to come.
        std::size_t count = 1;     ///< Number of values in it so far, including itself.
        bool flow = false;         ///< Whether it is in brackets.
    };
    struct Anchored {
        Value value;
        std::size_t count = 1;
    };

    [[nodiscard]] SourceSpan span(const YAML::Mark& mark, std::size_t length) const {
        return {source_,
                mark.line + 1,
                mark.column + 1,
                static_cast<int>(std::max<std::size_t>(length, 1))};
    }

    void open(Value::Kind kind,
              const YAML::Mark& mark,
              YAML::anchor_t anchor,
              YAML::EmitterStyle::value style) {
        if (open_.size() == depth_max) {
            refuse_depth(mark);
        }
        Open& opened = open_.emplace_back();
        opened.value.kind = kind;
        opened.value.span = span(mark, 1);
        opened.anchor = anchor;
        opened.flow = style == YAML::EmitterStyle::Flow;
    }

    void close() {
        Open closed = std::move(open_.back());
        open_.pop_back();
        add(std::move(closed.value), closed.anchor, closed.count);
    }

    /// Adds a complete value where it belongs. Together with the values in it, it counts as
    /// `count`.
    void add(Value value, YAML::anchor_t anchor, std::size_t count) {
        if (anchor != YAML::NullAnchor) {
            anchored_[anchor] = {value, count};
        }
        if (open_.empty()) {
            root_ = std::move(value);
            return;
        }
        Open& around = open_.back();
        around.count += count;
        if (around.value.is_list()) {
            around.value.items.push_back(std::move(value));
        } else if (around.key) {
            around.value.members.push_back(
                {std::move(around.key->text), around.key->span, std::move(value)});
            around.key.reset();
        } else if (value.is_scalar()) {
            around.key = std::move(value);
        } else {
            throw InputError(value.span, "a key is no text: expected a name");
        }
    }

    const Source& source_;
    std::vector<Open> open_;
    std::optional<Value> root_;
    std::map<YAML::anchor_t, Anchored> anchored_;
    std::size_t aliased_ = 0;
    std::optional<int> begin_;  ///< Beginning of the last document.
};

}  // namespace

std::string hide_path_brackets(std::string_view text) {
    std::string out(text);
    for (std::size_t open = out.find('['); open != std::string::npos;
         open = out.find('[', open + 1)) {
        std::size_t close = open + 1;
        while (close < out.size() && is_of_name(out[close])) {
            ++close;
        }
        const bool entry = close > open + 1 && close < out.size() && out[close] == ']';
        if (entry && open > 0 && is_of_key(out[open - 1])) {
            out[open] = hidden_open;
            out[close] = hidden_close;
        }
    }
    return out;
}

std::string show_path_brackets(std::string text) {
    std::ranges::replace(text, hidden_open, '[');
    std::ranges::replace(text, hidden_close, ']');
    return text;
}

void reject_duplicate_keys(const Value& map) {
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

void reject_unwritable_text(std::string_view text, const SourceSpan& span) {
    const auto is_control = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
    };
    if (const auto found = std::ranges::find_if(text, is_control); found != text.end()) {
        throw InputError(span,
                         fmt::format("a control character, \\x{:02x}: expected none",
                                     static_cast<unsigned>(static_cast<unsigned char>(*found))));
    }
    if (const auto at = broken_utf8(text)) {
        throw InputError(span,
                         fmt::format("the byte \\x{:02x}, which is not UTF-8: expected UTF-8",
                                     static_cast<unsigned>(static_cast<unsigned char>(text[*at]))));
    }
}

std::vector<Value> parse_yaml_values(const std::string& text,
                                     const Source& source,
                                     std::optional<YamlAdvice>* advice) {
    std::istringstream in(text);
    YAML::Parser parser(in);
    ValueBuilder builder(source);
    try {
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::DeepRecursion& error) {  // the parser has its own limit
        builder.refuse_depth(error.mark);
    } catch (const YAML::Exception& error) {
        if (advice != nullptr) {
            *advice = builder.advice(error);
        }
        throw;
    }
    return std::move(builder.documents);
}

}  // namespace berth::experiments
