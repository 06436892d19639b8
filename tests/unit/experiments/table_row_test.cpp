#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/support/csv_record.hpp"
#include "experiments/program/run/table_row.hpp"
#include "tests/support/dice.hpp"

using namespace berth;
using namespace berth::experiments;

TEST_CASE("table rows: fields are separated, and quoted where that is needed", "[table]") {
    std::string out = "header\n";
    TableRow(out)
        .text("plain")
        .text("a,b")
        .text("say \"hi\"")
        .text("two\nlines")
        .text("")
        .empty(2)
        .truth(true)
        .plain("end")
        .end();
    CHECK(out == "header\nplain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,,,true,end\n");
}

TEST_CASE("table rows: an empty first field is one", "[table]") {
    std::string out;
    TableRow(out).text("").integer(1).end();
    CHECK(out == ",1\n");
}

TEST_CASE("table rows: numbers are written whole", "[table]") {
    std::string out;
    TableRow(out)
        .integer(std::numeric_limits<std::int64_t>::min())
        .integer(std::numeric_limits<std::int64_t>::max())
        .number(0.1)
        .number(-std::numeric_limits<double>::denorm_min())
        .number(-2.2250738585072014e-308)
        .number(100000.0)
        .number(std::optional<double>())
        .seconds(sim::SimTime(1'500'000'000))
        .seconds(std::optional<sim::SimTime>())
        .end();
    CHECK(out ==
          "-9223372036854775808,9223372036854775807,0.1,-5e-324,-2.2250738585072014e-308,100000,,"
          "1.5,\n");
}

TEST_CASE("table rows: a text is quoted as fields of tables are", "[table]") {
    for (const std::string text :
         {"\"", "\"\"", "a\"", "\"a\"b\",", ",", "\r", "a\nb", "\xc3\xa4,\""}) {
        std::string out;
        TableRow(out).text(text).end();
        CHECK(out == core::csv_field(text) + "\n");
    }
}

TEST_CASE("table rows: a number is written in as few digits as fmt finds", "[table]") {
    constexpr double whole_max = 9'007'199'254'740'992;
    std::vector<double> numbers{0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                whole_max - 1,
                                whole_max,
                                1 - whole_max,
                                -whole_max,
                                whole_max + 2,
                                1e15,
                                1e16,
                                1e17,
                                1e300,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
    tests::Dice dice(1);
    for (int i = 0; i < 1000; ++i) {
        const auto whole = static_cast<double>(dice.roll(-1'000'000'000'000, 1'000'000'000'000));
        numbers.insert(numbers.end(), {whole, whole / 8, whole / 1000, 1 / whole});
    }
    for (const double number : numbers) {
        std::string out;
        TableRow(out).number(number).end();
        CHECK(out == fmt::format("{}\n", number));
    }
}

TEST_CASE("table rows: fields and rows of any length are written whole", "[table]") {
    for (const std::size_t length : {510U, 511U, 512U, 513U, 5000U}) {
        const std::string field(length, 'x');
        std::string out;
        std::string expected;
        TableRow row(out);
        for (int i = 0; i < 3; ++i) {
            row.plain(field).text("\"" + field).integer(i).more(field);
            expected += field + ",\"\"\"" + field + "\"," + std::to_string(i) + field + ",";
        }
        row.seconds(sim::SimTime::min()).end();
        CHECK(out == expected + "-9223372036.854775808\n");
    }
}

TEST_CASE("table rows: amounts are in whole units", "[table]") {
    core::ResourceSchema schema;
    const std::size_t cpu = schema.add("cpu");
    const std::size_t memory = schema.add("memory");
    std::string out;
    TableRow(out)
        .amount(2 * schema.per_unit(cpu), cpu, schema)
        .amount(schema.per_unit(cpu) / 4, cpu, schema)
        .amount(7 * schema.per_unit(memory), memory, schema)
        .amount(std::optional<core::Amount>(), memory, schema)
        .end();
    CHECK(out == "2,0.25,7,\n");
}
