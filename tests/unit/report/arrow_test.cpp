/// Tables as Arrow files: what is written is read again, as text byte by byte and as columns, and
/// what is damaged is refused. tests/python/test_tables.py has other programs read such files.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/results/arrow/arrow_file.hpp"
#include "experiments/program/results/arrow/arrow_writer.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/folder.hpp"

using namespace berth;
using report::Table;

namespace {

const std::string header = "replication,group,submit_s,satisfied,mean_distance,demand\n";

/// `text` as an Arrow file, written in pieces of the given size.
std::string packed(std::string_view text,
                   bool compress,
                   Table table = Table::groups,
                   std::size_t piece = std::string_view::npos) {
    report::ArrowWriter writer(table, "t.arrow", compress);
    std::string out;
    while (!text.empty()) {
        out += writer.add(text.substr(0, piece));
        text.remove_prefix(std::min(piece, text.size()));
    }
    return out + writer.finish();
}

class Folder : public tests::TestFolder {
public:
    void write(std::string_view bytes) const {
        std::filesystem::remove(path() /
                                "t.arrow");  // cutting a file off would first wait for the disk
        std::ofstream(path() / "t.arrow", std::ios::binary) << bytes;
    }
    [[nodiscard]] std::string text() const { return report::text_of_table(path() / "t.csv"); }
    [[nodiscard]] report::TableColumns columns(Table table = Table::groups) const {
        return report::read_arrow_columns(table, path() / "t.arrow", 2);
    }
};

template <class Value>
void append(std::vector<Value>& to, const std::vector<Value>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// All fields of a column in the order of rows; those of categories and names are texts.
struct AllFields {
    std::vector<bool> valid;
    std::vector<bool> flags;
    std::vector<std::int64_t> wholes;
    std::vector<double> numbers;
    std::vector<std::string> texts;

    friend bool operator==(const AllFields&, const AllFields&) = default;
};

std::string text_at(const report::ColumnFields& fields, std::size_t place) {
    const auto begin = static_cast<std::size_t>(fields.offsets[place]);
    return fields.letters.substr(begin,
                                 static_cast<std::size_t>(fields.offsets[place + 1]) - begin);
}

AllFields all_fields(const report::TableColumns& table, std::size_t column) {
    AllFields all;
    for (const report::RowBlock& block : table.blocks) {
        const report::ColumnFields& fields = block.columns[column];
        append(all.wholes, fields.wholes);
        append(all.numbers, fields.numbers);
        for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
            const auto bit = [&](const std::vector<std::uint8_t>& bits) {
                return ((bits[row / 8] >> row % 8) & 1U) != 0;
            };
            all.valid.push_back(bit(fields.valid));
            if (!fields.flags.empty()) {
                all.flags.push_back(bit(fields.flags));
            }
            if (!fields.offsets.empty()) {
                all.texts.push_back(text_at(fields, row));
            } else if (!fields.codes.empty()) {
                all.texts.push_back(all.valid.back()
                                        ? text_at(table.dictionaries[column],
                                                  static_cast<std::size_t>(fields.codes[row]))
                                        : "");
            }
        }
    }
    return all;
}

/// Checks that text and columns are the same from the file as from the text, compressed or not.
void comes_back(const std::string& text, Table table = Table::groups) {
    for (const bool compress : {false, true}) {
        const Folder folder;
        folder.write(packed(text, compress, table));
        CHECK((folder.text() == text));
        const report::TableColumns expected = report::read_table_columns(table, text, "t.csv", 1);
        const report::TableColumns found = folder.columns(table);
        CHECK(found.rows == expected.rows);
        CHECK(found.rows_are == expected.rows_are);
        REQUIRE(found.heads.size() == expected.heads.size());
        for (std::size_t column = 0; column < expected.heads.size(); ++column) {
            CAPTURE(compress, expected.heads[column].name);
            CHECK(found.heads[column].name == expected.heads[column].name);
            CHECK(found.heads[column].type == expected.heads[column].type);
            CHECK(found.heads[column].meaning == expected.heads[column].meaning);
            CHECK((all_fields(found, column) == all_fields(expected, column)));
        }
    }
}

/// Reading the file as text and as columns may succeed; otherwise the message is one line about it.
/// Returns: whether reading it as text succeeded.
bool is_read_or_refused(const Folder& folder) {
    const auto is_read = [](const auto& read) {
        try {
            (void)read();
            return true;
        } catch (const core::InputError& error) {
            const std::string why = error.what();
            CHECK(std::ranges::count(why, '\n') == 0);
            CHECK_THAT(why, Catch::Contains("t.arrow: error: "));
            return false;
        }
    };
    const bool as_text = is_read([&] { return folder.text(); });
    const bool as_columns = is_read([&] { return folder.columns(); });
    CHECK((as_text || !as_columns));
    return as_text;
}

}  // namespace

TEST_CASE("arrow: a table without rows", "[report][arrow]") {
    comes_back(header);
}

TEST_CASE("arrow: a single row", "[report][arrow]") {
    comes_back(header + "0,g,0,true,0,cpu=1\n");
}

TEST_CASE("arrow: rows of which all or some fields are empty", "[report][arrow]") {
    comes_back(header + ",,,,,\n");
    comes_back(header + "0,,,,,\n,g,,,,\n,,1.5,,,\n,,,false,,\n,,,,0.1,\n,,,,,a\n,,,,,\n0,,,,,a\n");
}

TEST_CASE("arrow: names of any letters", "[report][arrow]") {
    comes_back(header +
               "0,\"a, b\",0,true,0,\"say \"\"so\"\"\"\n"
               "0,\"two\nlines\",0,true,0,\"\r\n\"\n"
               "0,ä → ü 🚢,0,true,0,日本\n"
               "0,\"\"\"\",0,true,0,\",\"\n");
}

TEST_CASE("arrow: numbers at their limits", "[report][arrow]") {
    comes_back(header +
               "-9223372036854775808,g,0,true,-0.1,a\n"
               "9223372036854775807,g,0.000000001,false,5e-324,a\n"
               "-1,g,-0.5,false,1.7976931348623157e+308,a\n"
               "0,g,9223372036.854775807,false,-0,a\n"
               "0,g,-9223372036.854775808,false,9007199254740991,a\n"
               "0,g,-12345678.123456789,false,0.30000000000000004,a\n");
    comes_back("replication,seed,pods\n0,18446744073709551615,1\n1,9223372036854775808,\n2,0,2.5\n",
               Table::replications);
}

TEST_CASE("arrow: amounts that no floating-point number holds", "[report][arrow]") {
    const std::string text = header +
                             "0,g,0,true,9007199254740993,a\n"
                             "0,g,0,true,1,a\n"
                             "0,g,0,true,9223372036854775807,a\n"
                             "0,g,0,true,-9223372036854775807,a\n"
                             "0,g,0,true,10000000000000000,a\n"
                             "0,g,0,true,1e+16,a\n"
                             "0,g,0,true,inf,a\n"
                             "0,g,0,true,nan,a\n";
    for (const bool compress : {false, true}) {
        const Folder folder;
        folder.write(packed(text, compress));
        CHECK(folder.text() == text);
        const report::TableColumns table = folder.columns();
        REQUIRE(table.blocks.size() == 1);
        CHECK(table.blocks.front().columns[4].numbers[2] == 9223372036854775807.0);
        CHECK(table.blocks.front().exact ==
              std::vector<report::ExactNumber>{{0, 4, "9007199254740993"},
                                               {2, 4, "9223372036854775807"},
                                               {3, 4, "-9223372036854775807"},
                                               {4, 4, "10000000000000000"}});
    }
}

TEST_CASE("arrow: times are seconds, exact to the nanosecond", "[report][arrow]") {
    const std::string text = header +
                             "0,g,10,true,0,a\n"
                             "0,g,8000000.123456789,true,0,a\n"
                             "0,g,,true,0,a\n"
                             "0,g,31536000.123456789,true,9007199254740993,a\n"
                             "0,g,9223372036.854775806,true,0,a\n"
                             "0,g,-9223372036.854775808,true,0,a\n";
    for (const bool compress : {false, true}) {
        const std::string bytes = packed(text, compress);
        // Only what a floating-point number cannot hold is stored beside the column.
        CHECK_THAT(bytes,
                   Catch::Contains("3,2,31536000.123456789\n3,4,9007199254740993\n"
                                   "4,2,9223372036.854775806\n"));
        CHECK_THAT(bytes, !Catch::Contains("1,2,8000000.123456789"));
        const Folder folder;
        folder.write(bytes);
        CHECK(folder.text() == text);
        const report::TableColumns table = folder.columns();
        REQUIRE(table.blocks.size() == 1);
        const report::ColumnFields& times = table.blocks.front().columns[2];
        CHECK(times.numbers == std::vector<double>{10,
                                                   8000000.123456789,
                                                   0,
                                                   31536000.123456789,
                                                   9223372036.854775806,
                                                   -9223372036.854775808});
        CHECK(times.wholes == std::vector<std::int64_t>{10'000'000'000,
                                                        8'000'000'123'456'789,
                                                        0,
                                                        31'536'000'123'456'789,
                                                        INT64_MAX - 1,
                                                        INT64_MIN});
        CHECK(table.blocks.front().exact ==
              std::vector<report::ExactNumber>{{3, 4, "9007199254740993"}});
    }
}

TEST_CASE("arrow: what is a time has a name that ends in its unit", "[report][arrow]") {
    for (const report::ColumnRecord& column : report::columns()) {
        CAPTURE(column.name);
        CHECK((column.type != report::Type::time ||
               (column.name.ends_with("_s") && column.unit == "s")));
    }
}

TEST_CASE("arrow: times up to 97 days need nothing beside their seconds", "[report][arrow]") {
    tests::Dice dice(3);
    for (std::uint64_t draw = 0; draw < tests::cases(100'000); ++draw) {
        const std::int64_t time = dice.roll(0, std::int64_t{97} * 86'400 * 1'000'000'000);
        CAPTURE(time);
        REQUIRE(report::nanoseconds_of(static_cast<double>(time) / 1e9) == time);
    }
    CHECK_FALSE(report::nanoseconds_of(9.3e9));
    CHECK_FALSE(report::nanoseconds_of(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("arrow: batches, and dictionaries that grow from one to the next", "[report][arrow]") {
    tests::Dice dice(1);
    std::string text = header;
    for (int row = 0; row < 70'000; ++row) {
        const std::string number = std::to_string(row);
        const std::string demand = row < 33'000 ? "" : "cpu=" + std::to_string(row / 7);
        text += "0,\"g\n" + number + "\"," + number + "." + std::to_string(dice.roll(1, 9)) + "," +
                (dice.roll(0, 1) == 0 ? "true" : "") + "," + std::to_string(dice.roll(-9, 9)) +
                ",\"" + demand + "\"\n";
    }
    // An empty field has no quotes, as a run writes it.
    for (std::size_t at = text.find(",\"\"\n"); at != std::string::npos;
         at = text.find(",\"\"\n", at)) {
        text.erase(at + 1, 2);
    }
    for (std::size_t at = text.find(",\"cpu"); at != std::string::npos;
         at = text.find(",\"cpu", at)) {
        text.erase(at + 1, 1);
        text.erase(text.find('"', at), 1);
    }
    comes_back(text);
    const Folder folder;
    folder.write(packed(text, false));
    CHECK(report::ArrowFile(folder.path() / "t.arrow").batches() == 3);
    CHECK(folder.columns().dictionaries[5].offsets.size() > 5000);
}

TEST_CASE("arrow: the bytes do not tell in which pieces the text came", "[report][arrow]") {
    const std::string text =
        header + "0,\"a\nb\",0,true,0,x\n1,g,1.5,,9007199254740993,\n2,h,,false,,y\n";
    for (const bool compress : {false, true}) {
        const std::string whole = packed(text, compress);
        for (const std::size_t piece : {1, 2, 3, 7, 64}) {
            CHECK((packed(text, compress, Table::groups, piece) == whole));
        }
    }
}

TEST_CASE("arrow: a file that is cut short anywhere is refused", "[report][arrow]") {
    for (const bool compress : {false, true}) {
        const std::string whole =
            packed(header + "0,g,0,true,9007199254740993,x\n1,h,2.5,,,y\n", compress);
        const Folder folder;
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(compress, size);
            folder.write(std::string_view(whole).substr(0, size));
            REQUIRE_FALSE(is_read_or_refused(folder));
        }
    }
}

TEST_CASE("arrow: a file with a bit that flipped is read or refused", "[report][arrow]") {
    for (const bool compress : {false, true}) {
        const std::string whole =
            packed(header + "0,g,0,true,9007199254740993,x\n1,h,2.5,,,y\n", compress);
        const Folder folder;
        int refused = 0;
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
            CAPTURE(compress, at);
            folder.write(flipped);
            refused += is_read_or_refused(folder) ? 0 : 1;
        }
        CHECK(refused > 100);
    }
}

TEST_CASE("arrow: bytes of another file in its place are read or refused", "[report][arrow]") {
    const std::string whole = packed(header + "0,g,0,true,9007199254740993,x\n1,h,2.5,,,y\n", true);
    const Folder folder;
    for (std::uint64_t seed = 1; seed <= tests::cases(2000); ++seed) {
        tests::Dice dice(seed);
        std::string changed = whole;
        for (std::int64_t count = dice.roll(1, 5); count > 0; --count) {
            const auto last = static_cast<std::int64_t>(changed.size()) - 8;
            const auto at = static_cast<std::size_t>(dice.roll(0, last));
            const auto from = static_cast<std::size_t>(dice.roll(0, last));
            const auto size = static_cast<std::size_t>(dice.roll(1, 8));
            changed.replace(at, size, changed.substr(from, size));
        }
        CAPTURE(seed);
        folder.write(changed);
        (void)is_read_or_refused(folder);
    }
}

TEST_CASE("arrow: a column of another table's type is named", "[report][arrow]") {
    const Folder folder;
    folder.write(packed("replication,demand\n0,x\n", false));
    CHECK_THROWS_WITH(
        folder.columns(Table::replications),
        Catch::EndsWith(
            "t.arrow: error: the column 'demand' is of type category: expected number"));
}

TEST_CASE("arrow: a file that cannot be opened is named", "[report][arrow]") {
    const Folder folder;
    CHECK_THROWS_WITH(report::ArrowFile(folder.path() / "none.arrow"),
                      Catch::Contains("none.arrow") && Catch::Contains("No such file"));
    CHECK_THROWS_AS(report::ArrowFile(folder.path()), std::exception);
}
