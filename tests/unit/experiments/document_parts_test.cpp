#include "experiments/program/support/document_parts.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/program/support/documents.hpp"
#include "fuzz/mutation.hpp"
#include "support/dice.hpp"
#include "support/folder.hpp"

using namespace berth;
using core::Value;
using experiments::LongList;

namespace {

void append_place(const core::SourceSpan& span, std::string& out) {
    out += "@" + std::to_string(span.line) + ":" + std::to_string(span.column) + "+" +
           std::to_string(span.length) + " ";
}

/// A value as text, with all its places.
std::string shown(const Value& value) {
    std::string out;
    append_place(value.span, out);
    if (value.is_list()) {
        out += "[";
        for (const Value& item : value.items) {
            out += shown(item);
        }
        return out + "]";
    }
    if (value.is_map()) {
        out += "{";
        for (const core::Member& member : value.members) {
            append_place(member.key_span, out);
            out += member.key + ": " + shown(member.value);
        }
        return out + "}";
    }
    return out + (value.is_scalar() ? "'" + value.text + "' " : "null ");
}

/// The document with its long lists put together again; nothing if it has to be read whole.
std::optional<Value> read_in_parts(const std::filesystem::path& file, std::size_t block) {
    experiments::DocumentParts parts(file, block);
    std::vector<Value> items;
    std::vector<Value> nodes;
    const auto into = [](std::vector<Value>& list) {
        return [&list](const Value& element, const Value& around) {
            CHECK((around.is_map() || around.kind == Value::Kind::null));
            list.push_back(element);
            return true;
        };
    };
    const LongList long_items{{"items"}, {}, into(items)};
    const LongList long_nodes{{"spec", "nodes"}, {}, into(nodes)};
    auto document = parts.read({long_items, long_nodes});
    if (!document) {
        return std::nullopt;
    }
    if (Value* list = document->find("items"); list != nullptr && list->is_list()) {
        CHECK(list->items.empty());
        list->items = items;
    }
    Value* spec = document->find("spec");
    if (Value* list = spec != nullptr ? spec->find("nodes") : nullptr;
        list != nullptr && list->is_list()) {
        CHECK(list->items.empty());
        list->items = nodes;
    }
    return document;
}

/// The document as it is read whole; nothing where that fails or the file is not one document.
std::optional<Value> read_whole(const std::filesystem::path& file) {
    try {
        const auto documents = experiments::parse_documents(experiments::read_source(file));
        return documents.size() == 1 ? std::optional(documents.front()) : std::nullopt;
    } catch (const core::InputError&) {
        return std::nullopt;
    }
}

const std::vector<std::string> documents{
    R"({"kind": "List", "items": [{"a": 1}, {"b": [1, 2, {"c": "d"}]}, [], 7, "x"], "z": null})",
    "{\n  \"items\": [\n    {\n      \"name\": \"a\\u00e9\\n\"\n    },\n    {}\n  ],\n  \"kind\": "
    "\"List\"\n}\n",
    R"({"spec": {"levels": ["a"], "nodes": [{"name": "n"}, {"name": "m"}], "more": {}}, "x": 12})",
    R"({"items": {"no": "list"}, "spec": [1], "e": ""})",
    R"({"items": [1, 2, 3] , "items2": [-1.5e3, true, false, null]})",
    R"([{"items": [1]}, 2])",
    R"({"items": [123456789, "a \"quoted\" text", "caf\u00e9"], "spec": {"nodes": [[[]]]}})",
};

}  // namespace

TEST_CASE("document parts: put together again they are the document", "[experiments][documents]") {
    const tests::TestFolder folder;
    for (const std::string& text : documents) {
        folder.write("d.json", text);
        const auto whole = read_whole(folder.path() / "d.json");
        REQUIRE(whole);
        for (const std::size_t block : {1U, 2U, 7U, 64U, 1U << 20U}) {
            CAPTURE(text, block);
            const auto parts = read_in_parts(folder.path() / "d.json", block);
            REQUIRE(parts);
            CHECK(shown(*parts) == shown(*whole));
        }
    }
}

TEST_CASE("document parts: what is wrong has to be read whole", "[experiments][documents]") {
    const tests::TestFolder folder;
    for (const char* text : {R"({"items": [1, 2})",
                             R"({"items": [1,]})",
                             R"({"items": [1] "z": 1})",
                             R"({"items": [1]} 2)",
                             R"({"items": [{"a": 1, "a": 2}]})",
                             R"({"items": [], "items": []})",
                             "{\"items\": [\"\x7f\"]}",
                             "{\"items\": [\"\\u0000\"]}",
                             "{\"items\": [\"\xff\"]}",
                             "items: [1]",
                             ""}) {
        CAPTURE(text);
        folder.write("d.json", text);
        CHECK_FALSE(read_in_parts(folder.path() / "d.json", 4));
    }
}

TEST_CASE("document parts: changed documents are read as they are whole, or not at all",
          "[experiments][documents]") {
    const tests::TestFolder folder;
    const auto file = folder.path() / "d.json";
    int read = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(1500); ++seed) {
        tests::Dice dice(seed);
        std::string text = documents[seed % documents.size()];
        for (std::int64_t change = dice.roll(1, 3); change > 0; --change) {
            tests::mutate(text, dice);
        }
        CAPTURE(seed, text);
        folder.write("d.json", text);
        const auto block = static_cast<std::size_t>(dice.roll(1, 40));
        const auto parts = read_in_parts(file, block);
        if (!parts) {
            continue;
        }
        const auto whole = read_whole(file);
        REQUIRE(whole);
        REQUIRE(shown(*parts) == shown(*whole));
        ++read;
    }
    CHECK(read > 100);
}

TEST_CASE("document parts: what is not wanted of an element is left out, and checked",
          "[experiments][documents]") {
    const tests::TestFolder folder;
    const auto kept = [&](const std::string& item) -> std::optional<std::string> {
        folder.write("d.json", "{\"items\": [" + item + "]}");
        experiments::DocumentParts parts(folder.path() / "d.json");
        std::string out;
        const LongList list{
            {"items"}, {{"a", {}}, {"b", {{"c", {}}}}}, [&](const Value& element, const Value&) {
                out = experiments::emit_yaml(element);
                return true;
            }};
        return parts.read({list}) ? std::optional(out) : std::nullopt;
    };
    CHECK(kept(R"({"a": {"x": [1]}, "b": {"c": 1, "d": 2}, "e": {"a": 3}})") ==
          kept(R"({"a": {"x": [1]}, "b": {"c": 1}})"));
    CHECK(kept(R"({"b": 7, "e": "\n"})") == kept(R"({"b": 7})"));
    CHECK_FALSE(kept(R"({"b": {"d": {"k": 1, "k": 2}}})"));
    CHECK_FALSE(kept(R"({"e": "\u0007"})"));
    CHECK_FALSE(kept(R"({"e": 1, "a": 2, "e": 3})"));
}

TEST_CASE("document parts: lines are kept for messages when they are asked for",
          "[experiments][documents]") {
    const tests::TestFolder folder;
    folder.write("d.json", "{\n  \"items\": [\n    7]\n}\n");
    experiments::DocumentParts parts(folder.path() / "d.json");
    core::SourceSpan place;
    const LongList list{{"items"}, {}, [&](const Value& element, const Value&) {
                            place = element.span;
                            return true;
                        }};
    REQUIRE(parts.read({list}));
    parts.keep_lines(3);
    CHECK(core::render(place, "warning", "w").ends_with(":3:5: warning: w\n      7]\n      ^"));
}
