// The tables of a run directory have one list of columns: the code that writes them, the code that
// reads them and the documentation must agree with it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "experiments/program/results/tables/tables.hpp"

using namespace berth::report;

namespace {

namespace fs = std::filesystem;

const fs::path root = BERTH_SOURCE_DIR;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> columns_of(Table table) {
    std::set<std::string> names;
    for (const ColumnRecord& column : columns()) {
        if (column.table == table) {
            names.emplace(column.name);
        }
    }
    return names;
}

/// The names in backticks in the first cells of the tables of a section of run-directory.md.
std::set<std::string> documented(const std::string& page, const std::string& file) {
    const std::size_t begin = page.find("\n## " + file + "\n");
    REQUIRE(begin != std::string::npos);
    const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    static const std::regex row("\n\\| (`[^|]*) \\|");
    static const std::regex name("`([^`]+)`");
    std::set<std::string> names;
    for (std::sregex_iterator at(section.begin(), section.end(), row), end; at != end; ++at) {
        const std::string cell = (*at)[1];
        for (std::sregex_iterator one(cell.begin(), cell.end(), name); one != end; ++one) {
            names.insert((*one)[1]);
        }
    }
    return names;
}

}  // namespace

TEST_CASE("tables: the page on the run directory has the columns of each", "[report][tables]") {
    const std::string page = text_of(root / "docs/reference/run-directory.md");
    for (const TableRecord& table : tables()) {
        CAPTURE(table.file);
        CHECK(documented(page, std::string(table.file)) == columns_of(table.table));
    }
}

TEST_CASE("tables: who reads a column of a run directory names one that there is",
          "[report][tables]") {
    std::set<std::string> known;
    for (const ColumnRecord& column : columns()) {
        known.emplace(column.name);
    }
    // The columns of a sweep's tables, and those of the Batsim tables that berth writes, count too.
    known.merge(std::set<std::string>{"key", "point"});
    static const std::regex read("column\\(\"([a-z_]+)\"\\)");
    std::size_t found = 0;
    for (const char* folder : {"results", "compare", "report", "plot", "verify", "commands"}) {
        for (const auto& file :
             fs::recursive_directory_iterator(root / "experiments/program" / folder)) {
            if (file.path().extension() != ".cpp") {
                continue;
            }
            CAPTURE(file.path().string());
            const std::string text = text_of(file.path());
            for (std::sregex_iterator at(text.begin(), text.end(), read), end; at != end; ++at) {
                CAPTURE((*at)[1].str());
                CHECK(known.contains((*at)[1]));
                ++found;
            }
        }
    }
    CHECK(found > 50);
}

TEST_CASE("tables: a header has what the run has, each word as often as it has names",
          "[report][tables]") {
    CHECK(header_of(Table::evictions, {Part::always}) ==
          "replication,time_s,pod,quota,cause,ran_s,lost_s,node\n");
    CHECK(column_names(Table::nodes,
                       {Part::always, Part::devices},
                       {{"LEVEL", {"room", "rack"}}, {"RESOURCE", {"cpu", "a,b"}}}) ==
          std::vector<std::string>{"node",
                                   "room",
                                   "rack",
                                   "cpu_capacity",
                                   "cpu_background",
                                   "a,b_capacity",
                                   "a,b_background",
                                   "machine_type"});
    CHECK(header_of(Table::nodes, {Part::always}, {{"LEVEL", {}}, {"RESOURCE", {"a,b"}}}) ==
          "node,\"a,b_capacity\",\"a,b_background\"\n");
    const std::vector<std::string> pods = column_names(Table::pods, {Part::always});
    CHECK(std::ranges::find(pods, "nics") == pods.end());
    CHECK(pods.back() == "gpus");
}

TEST_CASE("tables: each has its place in the list, and no column twice", "[report][tables]") {
    for (std::size_t i = 0; i < tables().size(); ++i) {
        CHECK(tables()[i].table == static_cast<Table>(i));
        CHECK(tables()[i].file.ends_with(".csv"));
    }
    std::set<std::pair<Table, std::string_view>> seen;
    for (const ColumnRecord& column : columns()) {
        CAPTURE(column.name);
        CHECK(seen.emplace(column.table, column.name).second);
        CHECK_FALSE(column.meaning.empty());
        CHECK_FALSE(column.meaning.ends_with('.'));
    }
}
