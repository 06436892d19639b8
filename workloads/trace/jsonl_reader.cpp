/// jsonl: one JSON object per line; the user says which key is which field.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/trace/field_names.hpp"
#include "workloads/trace/job_fields.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/line_reader.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"

namespace berth::workloads {
namespace {

class JsonlReader final : public RowReader {
public:
    JsonlReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()), row_(text.file()), lines_(std::move(text)) {
        if (!lines_.next()) {
            throw core::InputError(
                fmt::format("{}:1:1: error: empty: expected a JSON object a line", lines_.file()));
        }
        FieldColumns columns =
            find_field_columns(options.columns, keys_of(lines_.line()), lines_.file());
        for (auto& [field, key] : columns.names) {
            fields_.push_back({field, std::move(key)});
        }
        note(columns.notes);
        values_.count_limits_in_minutes(columns.limit_in_minutes);
    }

private:
    /// The keys of an object. A wrong text has none here; the error is reported when it is read.
    static std::vector<std::string> keys_of(std::string_view text) {
        std::vector<std::string> keys;
        JsonText json;
        if (json.parse(text) || json.kind(JsonText::root()) != JsonText::Kind::map) {
            return keys;
        }
        for (auto key = json.first(JsonText::root()); key;
             key = json.next(JsonText::root(), *key)) {
            keys.emplace_back(json.text(*key));
        }
        return keys;
    }

    Row read(TraceJob& job) override {
        if (!first_ && !lines_.next()) {
            return Row::end;
        }
        first_ = false;
        begin_row(lines_.number());
        if (lines_.too_long()) {
            JsonRow::fail_long(lines_.file(), line(), 1, lines_.line_bytes_max());
        }
        if (lines_.line().find_first_not_of(" \t") == std::string_view::npos) {
            return Row::no_job;
        }
        row_.parse(lines_.line(), line(), 1, lines_.cut());
        std::optional<JsonRow::Index> wrong;
        std::optional<FieldFault> fault;
        find_values();
        for (const FieldKey& field : fields_) {
            if (field.value_line != line() || !field.value) {
                continue;
            }
            fault = values_.set(field.field, text_of(*field.value), job);
            if (fault) {
                wrong = field.value;
                break;
            }
        }
        const auto unfinished = values_.finish(job, line());  // also prepares for the next row
        if (wrong) {
            row_.fail(
                *wrong,
                fmt::format(
                    "{} {}: expected {}", fault->what, quoted(row_.text(*wrong)), fault->expected));
        }
        if (unfinished) {
            row_.fail(JsonText::root(),
                      fmt::format("{}: expected {}", unfinished->what, unfinished->expected));
        }
        return Row::job;
    }

    /// Notes the value of each field in this row, under the first of equal keys; null counts as
    /// missing. Most rows have their keys in the same order, so each key is usually compared once.
    void find_values() {
        constexpr std::size_t remembered_max = 64;
        const JsonText& json = row_.json();
        std::size_t place = 0;
        for (auto key = json.first(JsonText::root()); key;
             key = json.next(JsonText::root(), *key), ++place) {
            const std::string_view text = json.text(*key);
            if (place == places_.size() && place < remembered_max) {
                places_.emplace_back();
            }
            KeyPlace& known = places_[std::min(place, places_.size() - 1)];
            if (known.text != text || known.text.empty()) {
                known = fields_of(text);
            }
            for (const std::size_t i : known.fields) {
                FieldKey& field = fields_[i];
                if (field.value_line != line()) {
                    field.value_line = line();
                    const bool null = json.kind(*key + 1) == JsonText::Kind::null;
                    field.value = null ? std::nullopt : std::optional(*key + 1);
                }
            }
        }
    }

    /// The text of a value. A list of texts, such as GPU models, is joined with `|`.
    std::string_view text_of(JsonRow::Index value) {
        const JsonText& json = row_.json();
        if (json.kind(value) != JsonText::Kind::list) {
            return row_.text(value);
        }
        joined_.clear();
        for (auto item = json.first(value); item; item = json.next(value, *item)) {
            joined_ += joined_.empty() ? "" : "|";
            joined_ += row_.text(*item);
        }
        return joined_;
    }

    /// A field of jobs, its key, and its value in the row that begins on the given line.
    struct FieldKey {
        std::size_t field;
        std::string key;
        std::uint64_t value_line = 0;
        std::optional<JsonRow::Index> value{};
    };
    /// A key of the last row, and the fields that it belongs to.
    struct KeyPlace {
        std::string text;
        std::vector<std::size_t> fields;
    };
    [[nodiscard]] KeyPlace fields_of(std::string_view key) const {
        KeyPlace place{std::string(key), {}};
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (fields_[i].key == key) {
                place.fields.push_back(i);
            }
        }
        return place;
    }

    std::vector<FieldKey> fields_;
    std::vector<KeyPlace> places_;  ///< Indexed by place among the keys; the last one stands for
                                    ///< all further keys.
    JsonRow row_;
    LineReader lines_;
    bool first_ = true;  ///< Whether the first line is still at hand.
    JobFields values_;
    std::string joined_;
};

}  // namespace

std::unique_ptr<TraceReader> make_jsonl_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<JsonlReader>(std::move(text), options);
}

}  // namespace berth::workloads
