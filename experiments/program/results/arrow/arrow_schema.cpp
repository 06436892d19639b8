#include "experiments/program/results/arrow/arrow_schema.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "experiments/program/results/arrow/arrow_format.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {
namespace {

using namespace arrow;

FlatTable whole_type(std::int32_t bits, bool is_signed) {
    return FlatTable().number(whole_bits, bits).number(whole_is_signed, is_signed);
}

void set_type(FlatTable& field, FieldType type, FlatTable details) {
    field.number(field_type_type, type).table(field_type, std::move(details));
}

bool is_code(const std::optional<FlatView>& index) {
    return index && index->number<std::int32_t>(whole_bits, 0) == 32 &&
           index->number<bool>(whole_is_signed, false);
}

/// Nothing where no column of a run is of this type.
std::optional<Type> type_of(FieldType kind, const FlatView& type) {
    const auto only = [](bool holds, Type as) { return holds ? std::optional(as) : std::nullopt; };
    const bool is_signed = type.number<bool>(whole_is_signed, false);
    switch (kind) {
        case FieldType::whole:
            return only(type.number<std::int32_t>(whole_bits, 0) == 64,
                        is_signed ? Type::integer : Type::unsigned_integer);
        case FieldType::floating:
            return only(type.number<std::int16_t>(floating_precision, 0) == double_precision,
                        Type::number);
        case FieldType::truth:
            return Type::flag;
        case FieldType::duration:
            return only(type.number(duration_unit, milliseconds) == nanoseconds, Type::time);
        case FieldType::large_utf8:
            return Type::name;
        case FieldType::none:
            break;
    }
    return std::nullopt;
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
    FlatTable field;
    field.text(field_name, head.name).number(field_nullable, true).tables(field_children, {});
    field.tables(field_metadata, metadata_of({{"unit", head.unit}, {"meaning", head.meaning}}));
    switch (head.type) {
        case Type::category:
            field.table(field_dictionary,
                        FlatTable()
                            .number(dictionary_id, static_cast<std::int64_t>(column))
                            .table(dictionary_index_type, whole_type(32, true)));
            set_type(field, FieldType::large_utf8, {});
            break;
        case Type::flag:
            set_type(field, FieldType::truth, {});
            break;
        case Type::name:
            set_type(field, FieldType::large_utf8, {});
            break;
        case Type::number:
            set_type(field,
                     FieldType::floating,
                     FlatTable().number(floating_precision, double_precision));
            break;
        case Type::integer:
            set_type(field, FieldType::whole, whole_type(64, true));
            break;
        case Type::time:
            set_type(field, FieldType::duration, FlatTable().number(duration_unit, nanoseconds));
            break;
        case Type::unsigned_integer:
            set_type(field, FieldType::whole, whole_type(64, false));
            break;
    }
    return field;
}

ColumnHead head_of_field(const FlatView& field, std::size_t column) {
    const auto details = field.table(field_type);
    const auto type =
        details ? type_of(field.number(field_type_type, FieldType::none), *details) : std::nullopt;
    const auto dictionary = field.table(field_dictionary);
    const bool is_category =
        dictionary && type == Type::name && is_code(dictionary->table(dictionary_index_type)) &&
        dictionary->number<std::int64_t>(dictionary_id, 0) == static_cast<std::int64_t>(column);
    if (!type || (dictionary && !is_category)) {
        throw std::runtime_error("a column has a type that no column of a run has");
    }
    return {std::string(field.text(field_name)), is_category ? Type::category : *type, "", ""};
}

}  // namespace berth::report
