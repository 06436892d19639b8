#include <catch2/catch.hpp>
#include <limits>
#include <optional>
#include <string>

#include "experiments/program/run/table_row.hpp"

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
