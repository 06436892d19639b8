#include "experiments/program/results/tables/table_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/csv_record.hpp"
#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/support/append_number.hpp"
#include "experiments/program/support/in_threads.hpp"

namespace berth::report {
namespace {

constexpr std::size_t block_bytes = std::size_t{16} << 20U;

/// The text of a table, which also reports the place of an error.
struct TableText {
    std::string_view text;
    const std::string& name;

    [[noreturn]] void fail(const char* at, const std::string& message) const {
        const auto end = static_cast<std::size_t>(at - text.data());
        auto source = std::make_shared<core::SourceText>();
        source->name = name;
        source->text = text.substr(0, std::min(text.find('\n', end), text.size()));
        const auto line_start = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
        core::SourceSpan span;
        span.line =
            1 + static_cast<int>(std::count(text.begin(), text.begin() + (at - text.data()), '\n'));
        span.column =
            static_cast<int>(line_start == std::string_view::npos ? end + 1 : end - line_start);
        // a file with another header is not a table of berth's
        source->may_be_shown = span.line > 1;
        span.source = std::move(source);
        throw core::InputError(span, message);
    }
};

/// Whether writing the number would give this text again.
bool tells(double number, std::string_view text) {
    constexpr double whole_max = 9'007'199'254'740'992;  // 2^53
    if (std::abs(number) < whole_max) {
        return true;
    }
    std::array<char, experiments::number_chars_max> again{};
    return std::string_view(again.data(), experiments::write_number(again.data(), number)) == text;
}

/// Appends a bit; `count` is the number of bits before it.
void push_bit(std::vector<std::uint8_t>& bits, std::int64_t count, bool bit) {
    const auto place = static_cast<unsigned>(count % 8);
    if (place == 0) {
        bits.push_back(0);
    }
    bits.back() = static_cast<std::uint8_t>(bits.back() | ((bit ? 1U : 0U) << place));
}

/// The different values of a category, in the order of their first appearance.
class Dictionary {
public:
    std::int32_t code_of(std::string_view value) {
        if (!values_.empty() && value == values_[last_]) {
            return static_cast<std::int32_t>(last_);
        }
        const auto [at, is_new] = codes_.try_emplace(value, values_.size());
        if (is_new) {
            values_.push_back(value);
        }
        last_ = at->second;
        return static_cast<std::int32_t>(last_);
    }
    [[nodiscard]] const std::vector<std::string_view>& values() const { return values_; }

private:
    std::unordered_map<std::string_view, std::size_t> codes_;
    std::vector<std::string_view> values_;
    std::size_t last_ = 0;
};

void push_letters(ColumnFields& out, std::string_view value) {
    if (out.offsets.empty()) {
        out.offsets.push_back(0);
    }
    out.letters += value;
    out.offsets.push_back(static_cast<std::int64_t>(out.letters.size()));
}

/// Takes the first record off the text and returns it without its line end.
std::string_view next_record(const core::CsvRecord& splitter, std::string_view& text) {
    bool inside = false;
    std::size_t end = 0;
    do {
        const std::size_t begin = end;
        end = std::min(text.find('\n', begin), text.size());
        inside = splitter.ends_inside_quotes(text.substr(begin, end - begin), inside);
        end += end < text.size() ? 1 : 0;
    } while (inside && end < text.size());
    std::string_view record = text.substr(0, end);
    text.remove_prefix(end);
    for (const char last : {'\n', '\r'}) {
        if (record.ends_with(last)) {
            record.remove_suffix(1);
        }
    }
    return record;
}

/// Reads the rows of one block. The views in its dictionaries point into the table's text, or into
/// `decoded_` if a value had doubled quotes.
class BlockReader {
public:
    BlockReader(const TableText& source, const std::vector<ColumnHead>& heads)
        : source_(source), heads_(heads), dictionaries_(heads.size()) {
        block_.columns.resize(heads.size());
    }

    void read(std::string_view text) {
        while (!text.empty()) {
            const std::string_view record = next_record(splitter_, text);
            if (!record.empty()) {
                read_record(record);
            }
        }
    }

    RowBlock& block() { return block_; }
    [[nodiscard]] const std::vector<Dictionary>& dictionaries() const { return dictionaries_; }

private:
    void read_record(std::string_view record) {
        if (const auto fault = splitter_.split(record)) {
            source_.fail(record.data() + fault->at, std::string(fault->message));
        }
        const auto fields = splitter_.fields();
        if (fields.size() != heads_.size()) {
            source_.fail(record.data(),
                         fmt::format("this record has {} fields: expected {}, as in the header",
                                     fields.size(),
                                     heads_.size()));
        }
        for (std::size_t column = 0; column < fields.size(); ++column) {
            const std::string_view text = fields[column].text;
            if (!read_field(column, text, record)) {
                source_.fail(record.data() + fields[column].begin,
                             fmt::format("'{}' in column '{}': expected a value of type {}",
                                         text,
                                         heads_[column].name,
                                         to_string(heads_[column].type)));
            }
        }
        ++block_.rows;
    }

    /// Reads a field. Returns whether it has the column's type.
    bool read_field(std::size_t column, std::string_view text, std::string_view record) {
        ColumnFields& out = block_.columns[column];
        const bool is_null = text.empty();
        push_bit(out.valid, block_.rows, !is_null);
        out.nulls += is_null ? 1 : 0;
        switch (heads_[column].type) {
            case Type::category:
                out.codes.push_back(is_null ? 0
                                            : dictionaries_[column].code_of(kept(text, record)));
                return true;
            case Type::name:
                push_letters(out, text);
                return true;
            case Type::flag:
                push_bit(out.flags, block_.rows, text == "true");
                return is_null || text == "true" || text == "false";
            case Type::number: {
                const auto value = core::parse_number<double>(text);
                if (value && !tells(*value, text)) {
                    block_.exact.push_back({block_.rows, column, std::string(text)});
                }
                return push(out.numbers, is_null, value);
            }
            case Type::integer:
                return push(out.wholes, is_null, core::parse_number<std::int64_t>(text));
            case Type::time:
                return push_time(out, text);
            case Type::unsigned_integer: {
                const auto value = core::parse_number<std::uint64_t>(text);
                return push(
                    out.wholes,
                    is_null,
                    value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt);
            }
        }
        return false;
    }

    template <class Value>
    static bool push(std::vector<Value>& to, bool is_null, const std::optional<Value>& value) {
        to.push_back(value.value_or(Value{}));
        return is_null || value;
    }

    /// Appends a time. Its seconds are the double nearest to the text.
    static bool push_time(ColumnFields& out, std::string_view text) {
        constexpr std::int64_t exact_max = std::int64_t{1} << 53U;
        const auto whole = text.empty() ? std::nullopt : parse_nanoseconds(text);
        const bool is_exact = whole && *whole >= -exact_max && *whole <= exact_max;
        out.numbers.push_back(is_exact ? static_cast<double>(*whole) / 1e9
                                       : core::parse_number<double>(text).value_or(0));
        return push(out.wholes, text.empty(), whole);
    }

    /// A view of the field that stays valid. A field with doubled quotes is not in the text in that
    /// form, so it is copied.
    std::string_view kept(std::string_view text, std::string_view record) {
        const bool in_text =
            text.data() >= record.data() && text.data() < record.data() + record.size();
        return in_text ? text : decoded_.emplace_back(text);
    }

    const TableText& source_;
    const std::vector<ColumnHead>& heads_;
    RowBlock block_;
    std::vector<Dictionary> dictionaries_;
    std::deque<std::string> decoded_;
    core::CsvRecord splitter_;
};

/// Cuts the text into blocks, at line ends that are not inside quotes.
std::vector<std::string_view> blocks_of(std::string_view text) {
    std::vector<std::string_view> blocks;
    while (text.size() > block_bytes) {
        std::size_t end = block_bytes;
        bool inside = std::count(text.begin(), text.begin() + block_bytes, '"') % 2 != 0;
        while (end < text.size() && (inside || text[end - 1] != '\n')) {
            inside = inside != (text[end] == '"');
            ++end;
        }
        blocks.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    if (!text.empty()) {
        blocks.push_back(text);
    }
    return blocks;
}

/// Merges the dictionaries of a column's blocks into one, and adjusts the codes to it.
ColumnFields merge_dictionaries(std::vector<std::unique_ptr<BlockReader>>& readers,
                                std::size_t column) {
    Dictionary all;
    for (const auto& reader : readers) {
        std::vector<std::int32_t> place;
        for (const std::string_view value : reader->dictionaries()[column].values()) {
            place.push_back(all.code_of(value));
        }
        for (std::int32_t& code : reader->block().columns[column].codes) {
            code = place.empty() ? 0 : place[static_cast<std::size_t>(code)];
        }
    }
    ColumnFields out;
    for (const std::string_view value : all.values()) {
        push_letters(out, value);
    }
    out.offsets.resize(std::max<std::size_t>(out.offsets.size(), 1));
    return out;
}

}  // namespace

TableColumns read_columns(std::string_view text,
                          const std::string& name,
                          unsigned threads,
                          const std::function<ColumnHead(const std::string& name)>& head_of) {
    const TableText source{text, name};
    TableColumns out;
    core::CsvRecord splitter;
    const std::string_view header = next_record(splitter, text);
    if (header.empty() || splitter.split(header)) {
        source.fail(header.data(), "no header: expected a line with the names of the columns");
    }
    for (const core::CsvField& field : splitter.fields()) {
        out.heads.push_back(head_of(std::string(field.text)));
    }
    const std::vector<std::string_view> blocks = blocks_of(text);
    std::vector<std::unique_ptr<BlockReader>> readers(blocks.size());
    experiments::in_threads(threads, blocks.size(), [&](std::size_t block) {
        readers[block] = std::make_unique<BlockReader>(source, out.heads);
        readers[block]->read(blocks[block]);
    });
    out.dictionaries.resize(out.heads.size());
    for (std::size_t column = 0; column < out.heads.size(); ++column) {
        if (out.heads[column].type == Type::category) {
            out.dictionaries[column] = merge_dictionaries(readers, column);
        }
    }
    for (const auto& reader : readers) {
        out.rows += reader->block().rows;
        out.blocks.push_back(std::move(reader->block()));
    }
    return out;
}

std::optional<std::int64_t> parse_nanoseconds(std::string_view text) {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::size_t whole_digits = 10;  // those of the longest time
    constexpr std::size_t decimals = 9;
    const bool is_negative = text.starts_with('-');
    std::size_t at = is_negative ? 1 : 0;
    std::uint64_t count = 0;
    const auto read_digits = [&](std::size_t digits_max) {
        const std::size_t begin = at;
        for (; at < text.size() && at - begin < digits_max && text[at] >= '0' && text[at] <= '9';
             ++at) {
            count = 10 * count + static_cast<std::uint64_t>(text[at] - '0');
        }
        return at - begin;
    };
    const bool is_whole = read_digits(whole_digits) > 0 && count <= most / second;
    const bool has_point = is_whole && at < text.size() && text[at] == '.';
    at += has_point ? 1 : 0;
    const std::size_t fraction = has_point ? read_digits(decimals) : 0;
    if (is_whole && at == text.size() && (fraction > 0 || !has_point)) {
        for (std::size_t digit = fraction; digit < decimals; ++digit) {
            count *= 10;
        }
        return count > most + (is_negative ? 1 : 0)
                   ? std::nullopt
                   : std::optional(static_cast<std::int64_t>(is_negative ? 0 - count : count));
    }
    const auto number = core::parse_number<double>(text);
    return number ? nanoseconds_of(*number) : std::nullopt;
}

std::optional<std::int64_t> nanoseconds_of(double seconds) {
    constexpr double most = 0x1p63;
    const double nanoseconds = seconds * 1e9;
    if (!(std::abs(nanoseconds) <= most)) {
        return std::nullopt;
    }
    if (std::abs(nanoseconds) < 0x1p53) {
        // The rounding error of the product may decide which whole number is nearest.
        const double whole = std::round(nanoseconds);
        return std::llround(whole) + std::llround(std::fma(seconds, 1e9, -whole));
    }
    return std::abs(nanoseconds) < most ? std::llround(nanoseconds)
           : nanoseconds > 0            ? std::numeric_limits<std::int64_t>::max()
                                        : std::numeric_limits<std::int64_t>::min();
}

ColumnHead head_of_column(Table table, const std::string& name) {
    if (const ColumnRecord* column = find_column(table, name)) {
        return {name, column->type, std::string(column->unit), std::string(column->meaning)};
    }
    if (const MetricRecord* metric = find_metric(name)) {
        return {name, Type::number, std::string(metric->unit), std::string(metric->meaning)};
    }
    return {name, Type::number, "", ""};
}

TableColumns read_table_columns(Table table,
                                std::string_view text,
                                const std::string& name,
                                unsigned threads) {
    const TableRecord& record = tables()[static_cast<std::size_t>(table)];
    TableColumns out = read_columns(text, name, threads, [&](const std::string& column) {
        return head_of_column(table, column);
    });
    out.file = record.file;
    out.rows_are = record.rows;
    return out;
}

}  // namespace berth::report
