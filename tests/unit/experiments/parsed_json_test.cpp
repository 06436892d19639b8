#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "experiments/program/support/parsed_json.hpp"

using berth::experiments::dumped;
using berth::experiments::parsed_if_json;
using berth::experiments::parsed_json;
using nlohmann::ordered_json;

namespace {

namespace fs = std::filesystem;

std::string library_text(const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Compares a text as berth and as the library itself read and write it. Returns whether it is
/// JSON.
bool is_read_alike(const std::string& text) {
    const ordered_json expected = ordered_json::parse(text, nullptr, false);
    const ordered_json got = parsed_if_json(text);
    REQUIRE(got.is_discarded() == expected.is_discarded());
    if (expected.is_discarded()) {
        return false;
    }
    CHECK(got == expected);
    CHECK(dumped(got) == library_text(expected));
    return true;
}

/// A map of `count` members, of which every third has a name that was there before.
std::string map_with_repeated_names(int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) {
        text += (i == 0 ? "\"" : ",\"") + std::to_string(i % 3 == 2 ? i / 2 : i) +
                "\":" + std::to_string(i);
    }
    return text + "}";
}

}  // namespace

TEST_CASE("json: berth reads and writes what nlohmann's parser and serializer do") {
    const std::vector<std::string> texts{
        "null",
        "true",
        "-0",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "1.5e-7",
        "0.1",
        "1e300",
        R"("plain text ~")",
        R"("a \"quote\", a \\, a tab \t, a zero \u0000, \u00e9, \ud83d\ude80, \u007f")",
        "\"caf\xc3\xa9\"",
        "[]",
        "{}",
        R"([[], {}, [[[1]]], {"a": {"b": [{"c": null}]}}, ""])",
        R"({"a": 1, "b": 2, "a": {"c": [3]}, "d": 4})",
        R"({"": 0, "\n": 1})",
        map_with_repeated_names(16),
        map_with_repeated_names(17),
        map_with_repeated_names(500)};
    for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(is_read_alike(text));
    }
    for (const char* text : {"", " ", "[1,]", "{\"a\"}", "{\"a\":1", "[1] 2", "\"\xff\"", "nul"}) {
        CAPTURE(text);
        CHECK_FALSE(is_read_alike(text));
    }
}

TEST_CASE("json: the inputs that fuzzers start from are read and written alike") {
    std::size_t count = 0;
    for (const char* folder : {"json", "kube_cycle", "kube_devices", "kueue_cycle", "place"}) {
        const fs::path corpus = fs::path(BERTH_SOURCE_DIR) / "tests/fuzz/corpus" / folder;
        for (const fs::directory_entry& entry : fs::directory_iterator(corpus)) {
            std::ifstream in(entry.path(), std::ios::binary);
            const std::string text{std::istreambuf_iterator(in), {}};
            CAPTURE(entry.path());
            count += is_read_alike(text) ? 1 : 0;
        }
    }
    CHECK(count > 20);
}

TEST_CASE("json: errors are those of nlohmann's parser") {
    CHECK_THROWS_AS(parsed_json("1e999"), ordered_json::out_of_range);
    try {
        static_cast<void>(parsed_json("[1, x]"));
        FAIL("an error was expected");
    } catch (const ordered_json::parse_error& error) {
        CHECK(error.byte == 5);
    }
    const std::string deep(100'000, '[');
    CHECK(parsed_if_json(deep).is_discarded());
}

TEST_CASE("json: broken UTF-8 is replaced in a text that is written") {
    CHECK(dumped(ordered_json{{"a", "x\xff"}}) == "{\"a\":\"x\xef\xbf\xbd\"}");
    CHECK(dumped(ordered_json{1, 2}, 1) == "[\n 1,\n 2\n]");
}
