#include "experiments/program/results/stored/csv.hpp"

#include <catch2/catch.hpp>
#include <ctime>
#include <sstream>
#include <string>
#include <system_error>

#include "core/support/source.hpp"

using namespace berth;
using report::CsvReader;

namespace {

std::vector<std::vector<std::string>> read_all(const std::string& text) {
    std::istringstream in(text);
    CsvReader csv(in, "t.csv");
    std::vector<std::vector<std::string>> rows{csv.header()};
    while (csv.next()) {
        rows.emplace_back();
        for (std::size_t c = 0; c < csv.header().size(); ++c) {
            rows.back().push_back(csv.field(c));
        }
    }
    return rows;
}

std::string error_of(const std::string& text) {
    try {
        (void)read_all(text);
    } catch (const core::InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("csv: records are read as RFC 4180 has them", "[report][csv]") {
    using Rows = std::vector<std::vector<std::string>>;
    const auto [what, text, rows] = GENERATE(table<std::string, std::string, Rows>({
        {"plain", "a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
        {"no newline at the end", "a,b\n1,2", {{"a", "b"}, {"1", "2"}}},
        {"CRLF", "a,b\r\n1,2\r\n", {{"a", "b"}, {"1", "2"}}},
        {"empty fields", "a,b\n,\n", {{"a", "b"}, {"", ""}}},
        {"empty lines are skipped", "a,b\n\n1,2\n\n", {{"a", "b"}, {"1", "2"}}},
        {"a byte order mark",
         "\xEF\xBB\xBF"
         "a\n1\n",
         {{"a"}, {"1"}}},
        {"a quoted comma", "a,b\n\"x, y\",2\n", {{"a", "b"}, {"x, y", "2"}}},
        {"a doubled quote", "a\n\"say \"\"no\"\"\"\n", {{"a"}, {"say \"no\""}}},
        {"a quoted line break", "a,b\n\"x\ny\",2\n", {{"a", "b"}, {"x\ny", "2"}}},
        {"a quoted empty line", "a,b\n\"x\n\ny\",2\n", {{"a", "b"}, {"x\n\ny", "2"}}},
        {"an empty quoted field", "a,b\n\"\",2\n", {{"a", "b"}, {"", "2"}}},
        {"a quote inside a field is itself", "a\n5\" disk\n", {{"a"}, {"5\" disk"}}},
    }));
    CAPTURE(what);
    CHECK(read_all(text) == rows);
}

TEST_CASE("csv: a malformed table is an error at its line and column", "[report][csv]") {
    const auto [what, text, message] = GENERATE(table<std::string, std::string, std::string>({
        {"too few", "a,b\n1,2\n3\n", "t.csv:3:1: error: this record has 1 fields: expected 2"},
        {"too many", "a,b\n1,2,3\n", "t.csv:2:1: error: this record has 3 fields: expected 2"},
        {"an open quote", "a,b\n1,\"x\n", "t.csv:2:3: error: this quote is never closed"},
        {"text after a quote", "a\n\"x\"y\n", "t.csv:2:4: error: text after a closing quote"},
        {"two columns of one name", "a,b,a\n", "t.csv:1:1: error: two columns are named 'a'"},
        {"no text",
         std::string("a,b\0c\n", 6),
         "t.csv:1:3: error: a column's name has the byte \\x00: expected text"},
        {"nothing", "", "t.csv:1:1: error: the table is empty"},
        {"after a record of two lines", "a,b\n\"x\ny\",2\n3\n", "t.csv:4:1: error: this record"},
    }));
    CAPTURE(what);
    CHECK(error_of(text).starts_with(message));
}

TEST_CASE("csv: a header of a megabyte takes no seconds", "[report][csv]") {
    std::string header = "c0";
    for (int i = 1; i < 150'000; ++i) {
        header += ",c" + std::to_string(i);
    }
    const std::clock_t begin = std::clock();
    CHECK(read_all(header + "\n")[0].size() == 150'000);
    CHECK(error_of(header + ",c1\n").starts_with("t.csv:1:4: error: two columns are named 'c1'"));
    CHECK(std::clock() - begin < 3 * CLOCKS_PER_SEC);
}

TEST_CASE("csv: numbers are checked where they stand", "[report][csv]") {
    std::istringstream in("a,b\n1.5,\n2,x\ninf,1\n");
    CsvReader csv(in, "t.csv");
    REQUIRE(csv.next());
    CHECK(csv.number(0) == 1.5);
    CHECK_FALSE(csv.number(1).has_value());
    CHECK_THROWS_WITH(csv.required_number(1),
                      Catch::StartsWith("t.csv:2:5: error: column 'b' is empty"));
    REQUIRE(csv.next());
    CHECK_THROWS_WITH(csv.number(1),
                      "t.csv:3:3: error: 'x' in column 'b': expected a number\n  2,x\n    ^");
    REQUIRE(csv.next());
    CHECK_THROWS_AS(csv.number(0), core::InputError);
}

TEST_CASE("csv: a missing column is named, with the nearest one", "[report][csv]") {
    std::istringstream in("replicaton,time_s\n");
    const CsvReader csv(in, "t.csv");
    CHECK(csv.column("time_s") == 1);
    CHECK_THROWS_WITH(csv.column("replication"),
                      "t.csv:1:1: error: no column 'replication': expected it in the header (did "
                      "you mean 'replicaton'?)");
}

TEST_CASE("csv: a file that is not there is the machine's error", "[report][csv]") {
    CHECK_THROWS_AS(CsvReader(std::filesystem::path("/nowhere/t.csv")), std::system_error);
}
