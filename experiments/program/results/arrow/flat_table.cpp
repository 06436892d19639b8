#include "experiments/program/results/arrow/flat_table.hpp"

#include <algorithm>
#include <utility>

namespace berth::report {
namespace {

constexpr std::size_t offset_bytes = 4;

template <class Number>
void put(std::string& out, std::size_t at, Number value) {
    std::memcpy(out.data() + at, &value, sizeof value);
}

template <class Number>
void append(std::string& out, Number value) {
    out.resize(out.size() + sizeof value);
    put(out, out.size() - sizeof value, value);
}

/// Pads `out`, so that the data behind `before` more bytes is aligned.
void align(std::string& out, std::size_t alignment, std::size_t before = 0) {
    while ((out.size() + before) % alignment != 0) {
        out += '\0';
    }
}

/// Makes the offset at one place lead to another place behind it.
void lead(std::string& out, std::size_t from, std::size_t to) {
    put(out, from, static_cast<std::uint32_t>(to - from));
}

}  // namespace

FlatTable& FlatTable::text(std::size_t field, std::string_view value) {
    fields_.push_back({field, offset_bytes, Text{std::string(value)}});
    return *this;
}

FlatTable& FlatTable::table(std::size_t field, FlatTable value) {
    fields_.push_back({field, offset_bytes, std::vector<FlatTable>{std::move(value)}});
    return *this;
}

FlatTable& FlatTable::tables(std::size_t field, std::vector<FlatTable> value) {
    fields_.push_back({field, offset_bytes, std::move(value), true});
    return *this;
}

FlatTable& FlatTable::structs(std::size_t field, std::string bytes, std::size_t count) {
    fields_.push_back({field, offset_bytes, Structs{std::move(bytes), count}});
    return *this;
}

std::string FlatTable::buffer() const {
    std::string out(offset_bytes, '\0');
    lead(out, 0, write(out));
    align(out, 8);
    return out;
}

std::size_t FlatTable::write(std::string& out) const {
    // The largest fields come first, so that only the first field needs padding.
    std::vector<const Field*> order;
    for (const Field& field : fields_) {
        order.push_back(&field);
    }
    std::ranges::stable_sort(order, std::greater(), [](const Field* field) { return field->size; });
    std::size_t count = 0;
    for (const Field& field : fields_) {
        count = std::max(count, field.number + 1);
    }
    const std::size_t vtable_bytes = 2 * (2 + count);
    align(out, 8, vtable_bytes);
    const std::size_t vtable = out.size();
    out.resize(vtable + vtable_bytes);
    const std::size_t begin = out.size();
    append(out, static_cast<std::int32_t>(begin - vtable));
    std::vector<std::size_t> places;
    for (const Field* field : order) {
        align(out, field->size);
        places.push_back(out.size());
        put(out, vtable + 2 * (2 + field->number), static_cast<std::uint16_t>(out.size() - begin));
        const auto* number = std::get_if<std::string>(&field->value);
        out += number != nullptr ? *number : std::string(offset_bytes, '\0');
    }
    put(out, vtable, static_cast<std::uint16_t>(vtable_bytes));
    put(out, vtable + 2, static_cast<std::uint16_t>(out.size() - begin));
    for (std::size_t i = 0; i < order.size(); ++i) {
        write(*order[i], out, places[i]);
    }
    return begin;
}

void FlatTable::write(const Field& field, std::string& out, std::size_t offset_at) {
    if (const auto* text = std::get_if<Text>(&field.value)) {
        align(out, offset_bytes);
        lead(out, offset_at, out.size());
        append(out, static_cast<std::uint32_t>(text->value.size()));
        out += text->value;
        out += '\0';
    } else if (const auto* structs = std::get_if<Structs>(&field.value)) {
        align(out, 8, offset_bytes);
        lead(out, offset_at, out.size());
        append(out, static_cast<std::uint32_t>(structs->count));
        out += structs->bytes;
    } else if (const auto* tables = std::get_if<std::vector<FlatTable>>(&field.value)) {
        if (!field.is_vector) {
            lead(out, offset_at, tables->front().write(out));
            return;
        }
        align(out, offset_bytes);
        lead(out, offset_at, out.size());
        append(out, static_cast<std::uint32_t>(tables->size()));
        const std::size_t offsets = out.size();
        out.resize(offsets + offset_bytes * tables->size());
        for (std::size_t i = 0; i < tables->size(); ++i) {
            const std::size_t from = offsets + offset_bytes * i;
            lead(out, from, (*tables)[i].write(out));
        }
    }
}

}  // namespace berth::report
