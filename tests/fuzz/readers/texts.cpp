/// Formats on which all readers are built: CSV, JSON and YAML with their compressed forms, and
/// Arrow files.

#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "core/support/csv_record.hpp"
#include "core/support/json_text.hpp"
#include "experiments/program/config/document/embedded_json.hpp"
#include "experiments/program/results/arrow/arrow_file.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/yaml_values.hpp"
#include "fuzz/target.hpp"
#include "workloads/trace/guess_format.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::tests {
namespace {

std::shared_ptr<core::SourceText> source_of(std::string_view bytes) {
    auto source = std::make_shared<core::SourceText>();
    source->name = "fuzz";
    source->text = bytes;
    return source;
}

bool same(const core::Value& one, const core::Value& other) {
    if (one.kind != other.kind || one.text != other.text ||
        one.items.size() != other.items.size() || one.members.size() != other.members.size()) {
        return false;
    }
    for (std::size_t i = 0; i < one.items.size(); ++i) {
        if (!same(one.items[i], other.items[i])) {
            return false;
        }
    }
    for (std::size_t i = 0; i < one.members.size(); ++i) {
        if (one.members[i].key != other.members[i].key ||
            !same(one.members[i].value, other.members[i].value)) {
            return false;
        }
    }
    return true;
}

/// Visits every value. Returns the number of values.
std::size_t walk(const core::JsonText& text, core::JsonText::Index at) {
    std::size_t values = 1;
    (void)text.text(at);
    (void)text.find(at, "name");
    for (auto child = text.first(at); child; child = text.next(at, *child)) {
        values += walk(text, *child);
    }
    return values;
}

/// Reads a file as a document and as a trace, which use different libraries to decompress.
void read_compressed(std::string_view bytes, std::string_view ending) {
    const std::string file = (fresh_folder() / "input").string() + std::string(ending);
    write_input(file, bytes);
    reads([&] { (void)experiments::parse_documents(experiments::read_source(file)); });
    for (const workloads::TraceFormat& format : workloads::trace_formats()) {
        reads([&] {
            const auto reader = workloads::open_trace(std::string(format.name), file, {});
            workloads::TraceJob job;
            while (reader->next(job)) {
            }
        });
    }
}

}  // namespace

/// Readers of columns check the type of each column, readers of text do not.
void fuzz_arrow(std::string_view bytes) {
    const std::filesystem::path file = fresh_folder() / "groups.arrow";
    write_input(file, bytes);
    const bool as_text = reads([&] {
        (void)report::text_of_table(std::filesystem::path(file).replace_extension(".csv"));
    });
    const bool as_columns =
        reads([&] { (void)report::read_arrow_columns(report::Table::groups, file, 1); });
    BERTH_ASSERT(as_text || !as_columns, "what has columns has a text");
}

void fuzz_csv(std::string_view bytes) {
    reads([&] {
        std::istringstream in{std::string(bytes)};
        report::CsvReader csv(in, "fuzz");
        const std::size_t first = csv.column(csv.header().front());
        while (csv.next()) {
            (void)csv.field(first);
            (void)csv.number(csv.header().size() - 1);
        }
    });
    core::CsvRecord record({'|', false});
    (void)record.split(bytes);
    core::CsvRecord quoted;
    if (!quoted.split(bytes)) {
        const core::CsvField& field = quoted.fields().front();
        core::CsvRecord again;
        const std::string written = core::csv_field(field.text);
        BERTH_ASSERT(!again.split(written) && again.fields().size() == 1 &&
                         again.fields().front().text == quoted.fields().front().text,
                     "a field that is written is read as the same");
    }
}

void fuzz_json(std::string_view bytes) {
    core::JsonText text;
    if (!text.parse(bytes)) {
        BERTH_ASSERT(walk(text, core::JsonText::root()) > 0, "a text has a value");
    }
    core::Value value;
    value.kind = core::Value::Kind::scalar;
    value.text = bytes;
    value.span = {source_of(bytes), 1, 1, 1};
    core::Diagnostics diagnostics;
    const auto read = experiments::parse_embedded_json(value, "expected JSON", diagnostics);
    BERTH_ASSERT(read.has_value() != diagnostics.failed(), "a text is read or is wrong");
}

void fuzz_yaml(std::string_view bytes) {
    (void)experiments::show_path_brackets(experiments::hide_path_brackets(bytes));
    std::vector<core::Value> documents;
    reads([&] { documents = experiments::parse_documents(source_of(bytes)); });
    for (core::Value& document : documents) {
        core::Value around;  // no document of berth has a key such as `--- a`
        around.kind = core::Value::Kind::map;
        around.members.push_back({"document", {}, std::move(document)});
        const auto again = experiments::parse_documents(source_of(experiments::emit_yaml(around)));
        BERTH_ASSERT(again.size() == 1 && same(again.front(), around),
                     "a document that is written is read as the same");
    }
}

void fuzz_gzip(std::string_view bytes) {
    read_compressed(bytes, ".gz");
}

void fuzz_zstd(std::string_view bytes) {
    read_compressed(bytes, ".zst");
}

}  // namespace berth::tests
