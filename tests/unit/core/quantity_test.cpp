#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "core/support/decimal.hpp"
#include "core/support/quantity_hint.hpp"
#include "core/tree/resources.hpp"
#include "tests/support/dice.hpp"

namespace core = berth::core;

TEST_CASE("decimal: behind a digit for which there is no room, none is taken", "[core]") {
    // 2^64 is 18446744073709551616: there is no room for the 9, though there would be for the 3
    // behind it.
    std::string_view text = "1844674407370955161.93";
    const auto number = core::eat_decimal<std::uint64_t>(text);
    REQUIRE(number);
    CHECK(number->mantissa == 1844674407370955161U);
    CHECK(number->exponent == 0);
    CHECK(number->rest);
    CHECK(text.empty());
}

TEST_CASE("quantity: every Kubernetes form is read exactly", "[core][resources]") {
    using Row = std::tuple<std::string, core::Amount, core::Amount>;
    const auto [text, per_unit, amount] = GENERATE(table<std::string, core::Amount, core::Amount>({
        Row{"16", 1000, 16000},
        Row{"500m", 1000, 500},
        Row{"0.5", 1000, 500},
        Row{".5", 1000, 500},
        Row{"1.", 1, 1},
        Row{"+3", 1, 3},
        Row{"1e3", 1, 1000},
        Row{"1E3", 1, 1000},
        Row{"1E", 1, 1'000'000'000'000'000'000},
        Row{"5e-1", 1000, 500},
        Row{"256Gi", 1, 274877906944},
        Row{"1.5Ki", 1, 1536},
        Row{"1000000u", 1, 1},
        Row{"2000000000n", 1000, 2000},
        Row{"9223372036854775807", 1, INT64_MAX},
        Row{"0", 1, 0},
        Row{"-0", 1, 0},
        Row{"0.000", 1, 0},
    }));
    CAPTURE(text);
    CHECK(core::parse_quantity(text, per_unit) ==
          std::variant<core::Amount, core::QuantityFault>(amount));
}

TEST_CASE("quantity: what is no amount is named", "[core][resources]") {
    using Fault = core::QuantityFault;
    using Row = std::tuple<std::string, core::Amount, Fault>;
    const auto [text, per_unit, fault] = GENERATE(table<std::string, core::Amount, Fault>({
        Row{"", 1, Fault::malformed},
        Row{"x", 1, Fault::malformed},
        Row{"1K", 1, Fault::malformed},
        Row{"1 Gi", 1, Fault::malformed},
        Row{"1e", 1, Fault::malformed},
        Row{"1e1000", 1, Fault::malformed},
        Row{"500m", 1, Fault::fractional},
        Row{"0.0001", 1000, Fault::fractional},
        Row{"-1", 1, Fault::negative},
        Row{"9223372036854775808", 1, Fault::overflow},
        Row{"8Ei", 1, Fault::overflow},
        Row{"9999999999999999999999999999999999999999999999", 1, Fault::overflow},
    }));
    CAPTURE(text);
    CHECK(core::parse_quantity(text, per_unit) ==
          std::variant<core::Amount, core::QuantityFault>(fault));
}

TEST_CASE("quantity: what is printed is read back as the same amount", "[core][resources]") {
    core::ResourceSchema schema;
    const std::size_t resource = schema.add(GENERATE("cpu", "memory", "nvidia.com/gpu", "pods"));
    const auto amount =
        GENERATE(values<core::Amount>({0, 1, 500, 1000, 1024, 1536, 274877906944, INT64_MAX}));
    CHECK(core::parse_quantity(schema.format(resource, amount), schema.per_unit(resource)) ==
          std::variant<core::Amount, core::QuantityFault>(amount));
}

TEST_CASE("quantity: an exact one may be negative, and counts billionths", "[core][resources]") {
    using Row = std::tuple<std::string, std::int64_t>;
    const auto [text, billionths] = GENERATE(table<std::string, std::int64_t>({
        Row{"2", 2'000'000'000},
        Row{"-500m", -500'000'000},
        Row{"1n", 1},
        Row{"-0", 0},
        Row{"1Ki", 1'024'000'000'000},
        Row{"0.10000000000000001", 100'000'001},  // as Jsonnet writes 0.1
        Row{"0.1n", 1},
        Row{"-1.5n", -2},
        Row{"1e-30", 1},
        Row{"0.1234567890", 123'456'789},
    }));
    CAPTURE(text);
    const auto parsed = core::parse_exact_quantity(text);
    REQUIRE(std::holds_alternative<core::Quantity>(parsed));
    CHECK(std::get<core::Quantity>(parsed) == billionths);
}

TEST_CASE("quantity: what is no exact one is named", "[core][resources]") {
    using Fault = core::QuantityFault;
    using Row = std::tuple<std::string, Fault>;
    const auto [text, fault] = GENERATE(table<std::string, Fault>({
        Row{"4x", Fault::malformed},
        Row{"--1", Fault::malformed},
        Row{"8Ei", Fault::overflow},
        Row{"-9223372036854775808", Fault::overflow},
    }));
    CAPTURE(text);
    const auto parsed = core::parse_exact_quantity(text);
    REQUIRE(std::holds_alternative<Fault>(parsed));
    CHECK(std::get<Fault>(parsed) == fault);
    CHECK(
        std::holds_alternative<core::Quantity>(core::parse_exact_quantity("9223372036854775807")));
}

TEST_CASE("quantity: a text is brought into Kubernetes' form", "[core][resources]") {
    using Row = std::tuple<std::string, std::string>;
    const auto [text, canonical] = GENERATE(table<std::string, std::string>({
        Row{"0", "0"},
        Row{"-0", "0"},
        Row{"20", "20"},
        Row{"1000", "1k"},
        Row{"1000000", "1M"},
        Row{"1500", "1500"},
        Row{"0.5", "500m"},
        Row{"-1.5", "-1500m"},
        Row{"1e3", "1e3"},
        Row{"5e-1", "500e-3"},
        Row{"2E", "2E"},
        Row{"2048Ki", "2Mi"},
        Row{"0.5Gi", "512Mi"},
        Row{"1.5Ki", "1536"},
        Row{"1000Ki", "1000Ki"},
        Row{"0.5Ki", "512"},
        Row{"nonsense", "nonsense"},
    }));
    CAPTURE(text);
    CHECK(core::canonical_quantity(text) == canonical);
}

TEST_CASE("quantity: messages show bytes in binary and the rest in units", "[core][resources]") {
    const auto shown = [](std::string_view resource, std::string_view text) {
        return core::format_quantity(resource,
                                     std::get<core::Quantity>(core::parse_exact_quantity(text)));
    };
    CHECK(shown("cpu", "12000m") == "12");
    CHECK(shown("cpu", "-1500m") == "-1500m");
    CHECK(shown("nvidia.com/gpu", "1M") == "1000000");
    CHECK(shown("memory", "2048Mi") == "2Gi");
    CHECK(shown("memory", "1G") == "1000000000");
    CHECK(shown("memory", "500m") == "500m");
    CHECK(shown("memory", "0") == "0");
}

TEST_CASE("quantity: usual ones are what the exact arithmetic makes of them", "[core][resources]") {
    constexpr core::Quantity billion = 1'000'000'000;
    for (std::uint64_t seed = 1; seed <= berth::tests::cases(5000); ++seed) {
        berth::tests::Dice dice(seed);
        const core::Amount per_unit = dice.chance(50) ? 1 : 1000;
        std::string text;
        for (std::int64_t digits = dice.roll(0, 17); digits > 0; --digits) {
            text += static_cast<char>('0' + dice.roll(0, 9));
        }
        for (std::int64_t letters = dice.roll(0, 2); letters > 0; --letters) {
            text += std::string_view("mkKMGTPEinu.x")[static_cast<std::size_t>(dice.roll(0, 12))];
        }
        CAPTURE(text, per_unit);
        const auto found = core::parse_quantity(text, per_unit);
        const auto exact = core::parse_exact_quantity(text);
        const auto* quantity = std::get_if<core::Quantity>(&exact);
        if (quantity == nullptr || *quantity * per_unit % billion != 0) {
            // Exact quantities have no room for thousandths of a billionth.
            CHECK((std::holds_alternative<core::QuantityFault>(found) || per_unit == 1000));
            continue;
        }
        const core::Quantity amount = *quantity * per_unit / billion;
        if (amount > INT64_MAX) {
            CHECK(std::get<core::QuantityFault>(found) == core::QuantityFault::overflow);
        } else {
            CHECK(std::get<core::Amount>(found) == static_cast<core::Amount>(amount));
        }
    }
}

TEST_CASE("quantities: a comma in a number is proposed as a point, or left out", "[core]") {
    CHECK(core::comma_hint("1,5") == " (did you mean 1.5?)");
    CHECK(core::comma_hint("0,25Gi") == " (did you mean 0.25Gi?)");
    CHECK(core::comma_hint("1,500") == " (did you mean 1.500 or 1500?)");
    CHECK(core::comma_hint("1,500", true) == " (did you mean 1500?)");
    CHECK(core::quantity_hint("1,5Gi") == " (did you mean 1.5Gi?)");
    for (const char* text : {"", "15", "1.5", ",5", "5,", "1,2,3", "a,b", "1;5"}) {
        CAPTURE(text);
        CHECK(core::comma_hint(text).empty());
    }
    CHECK(core::comma_hint("1,5", true).empty());
}

TEST_CASE("quantities: where Kubernetes counts, a remainder is one more", "[core][resources]") {
    using Result = std::variant<core::Amount, core::QuantityFault>;
    CHECK(core::parse_quantity_up("1288490188800m", 1) == Result(core::Amount{1288490189}));
    CHECK(core::parse_quantity_up("1", 1000) == Result(core::Amount{1000}));
    CHECK(core::parse_quantity_up("100001u", 1000) == Result(core::Amount{101}));
    CHECK(core::parse_quantity_up("-1500m", 1) == core::parse_quantity("-1500m", 1));
    CHECK(core::parse_quantity_up("much", 1) == Result(core::QuantityFault::malformed));
    CHECK(core::parse_quantity_up("0.00000000001", 1) == Result(core::Amount{1}));
    CHECK(core::parse_quantity_up("9223372036854775807500m", 1) ==
          core::parse_quantity("9223372036854775807500m", 1));
}
