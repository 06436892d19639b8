#include <string>
#include <string_view>
#include <vector>

#include "csv_rows.hpp"

#include <catch2/catch.hpp>

namespace berth::tests {
namespace {

using Cells = std::vector<std::string>;

std::vector<Cells> split(std::string_view text) {
    std::vector<Cells> lines;
    bool quoted = false;
    bool fresh = true;
    for (const char c : text) {
        if (fresh) {
            lines.push_back({""});
            fresh = false;
        }
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            lines.back().emplace_back();
        } else if (c == '\n' && !quoted) {
            fresh = true;
        } else {
            lines.back().back() += c;
        }
    }
    return lines;
}

}  // namespace

std::vector<CsvRow> csv_rows(std::string_view text) {
    const std::vector<Cells> lines = split(text);
    REQUIRE_FALSE(lines.empty());
    const Cells& header = lines.front();
    std::vector<CsvRow> rows;
    for (std::size_t line = 1; line < lines.size(); ++line) {
        REQUIRE(lines[line].size() == header.size());
        CsvRow& row = rows.emplace_back();
        for (std::size_t column = 0; column < header.size(); ++column) {
            row[header[column]] = lines[line][column];
        }
    }
    return rows;
}

}  // namespace berth::tests
