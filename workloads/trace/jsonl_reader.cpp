/// jsonl: a JSON object a line; the user says which key is which field.

#include <memory>

#include <fmt/format.h>

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
        : RowReader(options), row_(text.file()), lines_(std::move(text)) {
        if (!lines_.next()) {
            throw core::InputError(
                fmt::format("{}:1:1: error: empty: expected a JSON object a line", lines_.file()));
        }
        FieldColumns columns =
            find_field_columns(options.columns, keys_of(lines_.line()), lines_.file());
        keys_ = std::move(columns.names);
        note(columns.notes);
    }

private:
    /// The keys of an object; none of a text that is wrong, which is said when it is read.
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
        row_.parse(lines_.line(), line(), 1);
        std::optional<JsonRow::Index> wrong;
        std::optional<FieldFault> fault;
        for (const auto& [field, key] : keys_) {
            const auto value = row_.find({key});
            fault = value ? values_.set(field, text_of(*value), job) : std::nullopt;
            if (fault) {
                wrong = value;
                break;
            }
        }
        const auto unfinished = values_.finish(job, line());  // and ready for the next row
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

    /// A list of texts, as of models, stands for them joined by `|`.
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

    std::map<std::size_t, std::string> keys_;
    JsonRow row_;
    LineReader lines_;
    bool first_ = true;  ///< The first line is at hand already.
    JobFields values_;
    std::string joined_;
};

}  // namespace

std::unique_ptr<TraceReader> make_jsonl_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<JsonlReader>(std::move(text), options);
}

}  // namespace berth::workloads
