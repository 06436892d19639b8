#include "experiments/program/results/arrow/arrow_writer.hpp"

#include <utility>

#include "core/support/csv_record.hpp"
#include "experiments/program/results/arrow/arrow_body.hpp"
#include "experiments/program/results/arrow/arrow_schema.hpp"
#include "experiments/program/results/arrow/exact_numbers.hpp"

namespace berth::report {
namespace {

using namespace arrow;

constexpr std::size_t batch_rows = 32'768;

std::string blocks_of(const std::vector<Block>& blocks) {
    std::string out;
    for (const Block& block : blocks) {
        append_struct(out, block);
    }
    return out;
}

}  // namespace

ArrowWriter::ArrowWriter(Table table, std::string name, bool compress)
    : table_(table), name_(std::move(name)), compress_(compress) {}

std::string ArrowWriter::add(std::string_view piece) {
    std::string out;
    while (!piece.empty()) {
        if (!take_line(piece)) {
            continue;
        }
        if (header_bytes_ == 0) {
            header_bytes_ = text_.size();
        } else if (++rows_ == batch_rows) {
            out += batches();
        }
    }
    return out;
}

bool ArrowWriter::take_line(std::string_view& piece) {
    const std::size_t end = piece.find('\n');
    const bool is_whole = end != std::string_view::npos;
    text_ += piece.substr(0, is_whole ? end + 1 : piece.size());
    piece.remove_prefix(is_whole ? end + 1 : piece.size());
    if (!is_whole) {
        return false;
    }
    const std::string_view line =
        std::string_view(text_).substr(line_begin_, text_.size() - 1 - line_begin_);
    inside_quotes_ = core::CsvRecord().ends_inside_quotes(line, inside_quotes_);
    line_begin_ = text_.size();
    return !inside_quotes_;
}

std::string ArrowWriter::batches() {
    TableColumns rows = read_table_columns(table_, text_, name_, 1);
    std::string out = heads_.empty() ? schema_message(rows) : "";
    merge_dictionaries(rows);
    for (const RowBlock& block : rows.blocks) {
        ArrowBody body(compress_);
        for (std::size_t column = 0; column < heads_.size(); ++column) {
            body.add_column(block.columns[column], heads_[column].type, block.rows);
        }
        FlatTable about;
        if (const std::string exact = text_of_exact_numbers(block, heads_); !exact.empty()) {
            about.tables(message_metadata, metadata_of({{exact_numbers_key, exact}}));
        }
        about.table(message_header, body.batch(block.rows));
        out += message(std::move(about), Header::record_batch, body.bytes(), &batch_blocks_);
    }
    text_.resize(header_bytes_);
    line_begin_ = header_bytes_;
    rows_ = 0;
    return out;
}

void ArrowWriter::merge_dictionaries(TableColumns& rows) {
    for (std::size_t column = 0; column < heads_.size(); ++column) {
        if (heads_[column].type != Type::category) {
            continue;
        }
        Category& all = categories_[column];
        const ColumnFields& here = rows.dictionaries[column];
        std::vector<std::int32_t> codes;
        for (std::size_t value = 0; value + 1 < here.offsets.size(); ++value) {
            const auto begin = static_cast<std::size_t>(here.offsets[value]);
            const auto end = static_cast<std::size_t>(here.offsets[value + 1]);
            const std::string text = here.letters.substr(begin, end - begin);
            const auto [at, is_new] =
                all.codes.try_emplace(text, static_cast<std::int32_t>(all.codes.size()));
            if (is_new) {
                all.values.letters += text;
                all.values.offsets.push_back(static_cast<std::int64_t>(all.values.letters.size()));
            }
            codes.push_back(at->second);
        }
        for (RowBlock& block : rows.blocks) {
            for (std::int32_t& code : block.columns[column].codes) {
                code = codes.empty() ? 0 : codes[static_cast<std::size_t>(code)];
            }
        }
    }
}

std::string ArrowWriter::schema_message(const TableColumns& rows) {
    heads_ = rows.heads;
    categories_.resize(heads_.size());
    for (Category& category : categories_) {
        category.values.offsets.push_back(0);
    }
    std::string out(magic);
    out.resize(alignment);
    written_ = out.size();
    return out + message(FlatTable().table(message_header, schema()), Header::schema, "", nullptr);
}

FlatTable ArrowWriter::schema() const {
    std::vector<FlatTable> fields;
    for (std::size_t column = 0; column < heads_.size(); ++column) {
        fields.push_back(field_of(heads_[column], column));
    }
    const TableRecord& record = tables()[static_cast<std::size_t>(table_)];
    FlatTable out;
    out.tables(schema_fields, std::move(fields))
        .tables(schema_metadata, metadata_of({{"file", record.file}, {"rows", record.rows}}));
    return out;
}

std::string ArrowWriter::message(FlatTable about,
                                 Header type,
                                 std::string_view body,
                                 std::vector<Block>* blocks) {
    const std::string metadata =
        about.number(message_version, version_5)
            .number(message_header_type, type)
            .number(message_body_length, static_cast<std::int64_t>(body.size()))
            .buffer();
    std::string out;
    append_struct(out, continuation);
    append_struct(out, static_cast<std::int32_t>(metadata.size()));
    out += metadata;
    if (blocks != nullptr) {
        blocks->push_back({static_cast<std::int64_t>(written_),
                           static_cast<std::int32_t>(out.size()),
                           0,
                           static_cast<std::int64_t>(body.size())});
    }
    out += body;
    written_ += out.size();
    return out;
}

std::string ArrowWriter::finish() {
    std::string out = rows_ > 0 || heads_.empty() ? batches() : "";
    for (std::size_t column = 0; column < heads_.size(); ++column) {
        if (heads_[column].type == Type::category) {
            const ColumnFields& values = categories_[column].values;
            const auto count = static_cast<std::int64_t>(values.offsets.size()) - 1;
            ArrowBody body(compress_);
            body.add_column(values, Type::name, count);
            FlatTable batch;
            batch.number(dictionary_batch_id, static_cast<std::int64_t>(column))
                .table(dictionary_batch_data, body.batch(count));
            out += message(FlatTable().table(message_header, std::move(batch)),
                           Header::dictionary_batch,
                           body.bytes(),
                           &dictionary_blocks_);
        }
    }
    return out + footer();
}

std::string ArrowWriter::footer() const {
    std::string out;
    append_struct(out, continuation);
    append_struct(out, std::int32_t{0});  // marks the end of the messages
    const std::string metadata =
        FlatTable()
            .number(footer_version, version_5)
            .table(footer_schema, schema())
            .structs(footer_dictionaries, blocks_of(dictionary_blocks_), dictionary_blocks_.size())
            .structs(footer_record_batches, blocks_of(batch_blocks_), batch_blocks_.size())
            .buffer();
    out += metadata;
    append_struct(out, static_cast<std::int32_t>(metadata.size()));
    return out += magic;
}

}  // namespace berth::report
