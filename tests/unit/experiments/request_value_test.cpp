#include "experiments/program/support/request_value.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/parsed_json.hpp"

using berth::experiments::Json;
using berth::experiments::RequestError;
using berth::experiments::RequestText;
using berth::experiments::RequestValue;

namespace {

namespace fs = std::filesystem;

/// A value, put together again from what a RequestValue says of it.
Json rebuilt(const RequestValue& value) {
    if (value.is_map()) {
        Json map = Json::object();
        for (const auto& [key, member] : value.members()) {
            map[key] = rebuilt(member);
        }
        CHECK(map.size() == value.size());
        return map;
    }
    if (value.is_list()) {
        Json list = Json::array();
        for (const RequestValue& item : value.items()) {
            list.push_back(rebuilt(item));
        }
        CHECK(list.size() == value.size());
        return list;
    }
    if (value.is_string()) {
        return std::string(value.text());
    }
    if (value.is_boolean()) {
        return *value.boolean();
    }
    if (const auto whole = value.whole()) {
        return *whole;
    }
    // A whole number that only a number without a sign has room for is no amount.
    return value.is_whole() ? value.json() : value.is_number() ? Json(*value.number()) : Json();
}

/// Compares a text as a request and as nlohmann's parser read it.
void check_read_alike(const std::string& text) {
    CAPTURE(text);
    const Json expected = Json::parse(text);
    const RequestText request{std::string_view(text)};
    CHECK(rebuilt(request.value()) == expected);
    CHECK(request.value().json() == expected);
}

}  // namespace

TEST_CASE("request values: read as nlohmann's parser reads them") {
    const std::vector<std::string> texts{
        R"({"a": [1, -2, 3.25, true, false, null, "x", {}, []], "b": {"c": {"d": "e"}}})",
        R"({"least": -9223372036854775808, "most": 18446744073709551615})",
        R"({"more": 18446744073709551616, "minus zero": -0, "e": 1e3, "E": 1.5E-7})",
        R"({"tiny": 1e-400, "long": 0.)" + std::string(400, '1') + "}",
        R"({"a": 1, "b": 2, "a": {"c": [3]}, "d": 4, "d": null})",
        R"({"escapes": "a \"quote\", a \\, a \/, a tab \t, a zero \u0000, \u00e9, \ud83d\ude80"})",
        R"({"key \"quoted\"": 1, "\n": 2, "": 3, "\u0061": 4, "a": 5})",
        "{\"caf\xc3\xa9\": \"\xf0\x9f\x9a\x80\"}",
        " \t{ \"a\" :\r\n [ ] } "};
    for (const std::string& text : texts) {
        check_read_alike(text);
    }
    check_read_alike("\xef\xbb\xbf{\"a\": 1}");
}

TEST_CASE("request values: what is no JSON is refused as by nlohmann's parser") {
    for (const std::string text : {"",
                                   "{\"a\": 1,}",
                                   "{\"a\": 01}",
                                   "{\"a\": \"\xff\"}",
                                   "{\"a\": \"\\ud800\"}",
                                   "{\"a\": \"\t\"}",
                                   "{\"a\": 1} x"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(RequestText(std::string_view(text)), Json::parse_error);
    }
    CHECK_THROWS_AS(RequestText(std::string_view("{\"a\": 1e999}")), Json::out_of_range);
}

TEST_CASE("request values: 1 000 levels are read, and no more") {
    const auto nested = [](std::size_t levels) {
        return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    };
    check_read_alike(nested(1'000));
    for (const std::size_t levels : {std::size_t{1'001}, std::size_t{1'000'000}}) {
        const std::string text = nested(levels);
        CHECK_THROWS_AS(RequestText(std::string_view(text)), RequestError);
    }
}

TEST_CASE("request values: what is not there is null, and has nothing in it") {
    const RequestText request(std::string_view(R"({"a": {"b": null}, "c": 5})"));
    const RequestValue value = request.value();
    CHECK(value.contains("a"));
    CHECK(value["a"].contains("b"));
    CHECK(value["a"]["b"].is_null());
    CHECK_FALSE(value["c"].contains("b"));
    const RequestValue none = value["x"]["y"];
    CHECK(none.is_null());
    CHECK_FALSE(none.is_map());
    CHECK(none.size() == 0);
    CHECK(none.items().empty());
    CHECK(none.json() == Json());
    CHECK_FALSE(none.whole());
    CHECK(value.find("c")->number() == 5.0);
}

TEST_CASE("request values: the inputs that fuzzers start from are read alike") {
    std::size_t count = 0;
    for (const char* folder : {"kube_cycle", "kube_devices", "kueue_cycle", "place"}) {
        const fs::path corpus = fs::path(BERTH_SOURCE_DIR) / "tests/fuzz/corpus" / folder;
        for (const fs::directory_entry& entry : fs::directory_iterator(corpus)) {
            std::ifstream in(entry.path(), std::ios::binary);
            const std::string text{std::istreambuf_iterator(in), {}};
            if (!berth::experiments::parsed_if_json(text).is_discarded()) {
                check_read_alike(text);
                ++count;
            }
        }
    }
    CHECK(count > 15);
}
