#include "workloads/trace/delimiter.hpp"

#include <fmt/format.h>

#include "core/support/csv_record.hpp"

namespace berth::workloads {

std::vector<std::string> names_in(std::string_view header, char delimiter) {
    core::CsvRecord record({delimiter, true});
    if (record.split(header)) {  // a quote that ends nowhere belongs to a text
        record = core::CsvRecord({delimiter, false});
        (void)record.split(header);
    }
    std::vector<std::string> names;
    for (const core::CsvField& field : record.fields()) {
        names.emplace_back(core::trimmed(field.text));
    }
    return names;
}

char delimiter_of(std::string_view header, char usual) {
    constexpr std::size_t header_bytes_max = std::size_t{1} << 16U;
    if (header.size() > header_bytes_max) {
        return usual;  // no header that anybody wrote, and slow to split five times
    }
    char best = usual;
    std::size_t most = names_in(header, usual).size();
    for (const char other : {',', ';', '\t', '|'}) {
        if (const std::size_t count = names_in(header, other).size(); count > most) {
            best = other;
            most = count;
        }
    }
    return best;
}

std::string described_delimiter(char delimiter) {
    return delimiter == '\t' ? "tabs" : fmt::format("'{}'", delimiter);
}

}  // namespace berth::workloads
