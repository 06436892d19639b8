#include "experiments/program/results/arrow/arrow_schema.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/program/results/arrow/arrow_format.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {
namespace {

using namespace arrow;

/// The key under which a field has its type in the terms of `berth list columns`.
constexpr std::string_view type_key = "type";

/// An Arrow type.
struct Kind {
    FieldType type = FieldType::none;
    int size = 0;  ///< The number of bits of a whole number, or the precision of another number.
    bool is_signed = false;

    friend bool operator==(const Kind&, const Kind&) = default;
};
/// The Arrow types, by Type.
constexpr auto kinds = std::to_array<Kind>({{FieldType::large_utf8},  // the values of a category
                                            {FieldType::truth},
                                            {FieldType::whole, 64, true},
                                            {FieldType::large_utf8},
                                            {FieldType::floating, double_precision},
                                            {FieldType::floating, double_precision},
                                            {FieldType::whole, 64, false}});

Kind kind_of_field(const FlatView& field, const FlatView& details) {
    Kind kind{field.number(field_type_type, FieldType::none)};
    if (kind.type == FieldType::whole) {
        kind.size = details.number<std::int32_t>(whole_bits, 0);
        kind.is_signed = details.number<bool>(whole_is_signed, false);
    } else if (kind.type == FieldType::floating) {
        kind.size = details.number<std::int16_t>(floating_precision, 0);
    }
    return kind;
}

FlatTable whole_type(std::int32_t bits, bool is_signed) {
    return FlatTable().number(whole_bits, bits).number(whole_is_signed, is_signed);
}

bool is_code(const std::optional<FlatView>& index) {
    return index && index->number<std::int32_t>(whole_bits, 0) == 32 &&
           index->number<bool>(whole_is_signed, false);
}

}  // namespace

std::vector<FlatTable> metadata_of(
    const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
    std::vector<FlatTable> out;
    for (const auto& [key, value] : pairs) {
        out.push_back(FlatTable().text(pair_key, key).text(pair_value, value));
    }
    return out;
}

std::string_view metadata_value(const std::vector<FlatView>& pairs, std::string_view key) {
    for (const FlatView& pair : pairs) {
        if (pair.text(pair_key) == key) {
            return pair.text(pair_value);
        }
    }
    return {};
}

FlatTable field_of(const ColumnHead& head, std::size_t column) {
    const Kind& kind = kinds[static_cast<std::size_t>(head.type)];
    FlatTable details;
    if (kind.type == FieldType::whole) {
        details = whole_type(kind.size, kind.is_signed);
    } else if (kind.type == FieldType::floating) {
        details.number(floating_precision, static_cast<std::int16_t>(kind.size));
    }
    FlatTable field;
    field.text(field_name, head.name).number(field_nullable, true).tables(field_children, {});
    field.number(field_type_type, kind.type).table(field_type, std::move(details));
    field.tables(
        field_metadata,
        metadata_of(
            {{type_key, to_string(head.type)}, {"unit", head.unit}, {"meaning", head.meaning}}));
    if (head.type == Type::category) {
        field.table(field_dictionary,
                    FlatTable()
                        .number(dictionary_id, static_cast<std::int64_t>(column))
                        .table(dictionary_index_type, whole_type(32, true)));
    }
    return field;
}

ColumnHead head_of_field(const FlatView& field, std::size_t column) {
    const auto details = field.table(field_type);
    const auto dictionary = field.table(field_dictionary);
    const bool has_codes =
        dictionary && is_code(dictionary->table(dictionary_index_type)) &&
        dictionary->number<std::int64_t>(dictionary_id, 0) == static_cast<std::int64_t>(column);
    const std::string_view word = metadata_value(field.tables(field_metadata), type_key);
    for (std::size_t place = 0; place < kinds.size(); ++place) {
        const auto type = static_cast<Type>(place);
        const bool is_category = type == Type::category;
        if (word == to_string(type) && details && kind_of_field(field, *details) == kinds[place] &&
            is_category == has_codes && is_category == dictionary.has_value()) {
            return {std::string(field.text(field_name)), type, "", ""};
        }
    }
    throw std::runtime_error("a column has a type that no column of a run has");
}

}  // namespace berth::report
