#include <catch2/catch.hpp>

#include <yaml-cpp/yaml.h>

#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/documents.hpp"

using namespace berth;
using core::Value;

namespace {

std::vector<Value> parsed(std::string text) {
    auto source = std::make_shared<core::SourceText>();
    source->name = "test";
    source->text = std::move(text);
    return experiments::parse_documents(source);
}

}  // namespace

TEST_CASE("documents: JSON and YAML of the same content are the same", "[experiments][documents]") {
    const std::string text = R"({"a": [1, -2.5, "x\ny", true, null], "b": {"c": {}}, "d": "1"})";
    const Value json = parsed(text).front();
    const Value yaml = parsed("# as YAML\n" + text).front();
    CHECK(experiments::emit_yaml(json) == experiments::emit_yaml(yaml));
    CHECK(json.find("a")->items[2].text == "x\ny");
    CHECK(json.find("a")->items[4].kind == Value::Kind::null);
}

TEST_CASE("documents: values know where they stood", "[experiments][documents]") {
    const Value json = parsed("{\n  \"name\": \"x\",\n  \"list\": [10, {\"k\": 300}]\n}").front();
    const Value& inner = *json.find("list")->items[1].find("k");
    CHECK(inner.span.line == 3);
    CHECK(inner.span.column == 22);
    CHECK(inner.span.length == 3);
    CHECK(json.members[0].key_span.line == 2);
    CHECK(json.members[0].key_span.column == 3);
    const Value yaml = parsed("a:\n  - b: 7\n").front();
    CHECK(yaml.find("a")->items[0].find("b")->span.line == 2);
    CHECK(yaml.find("a")->items[0].find("b")->span.column == 8);
}

TEST_CASE("documents: what is emitted reads back as the same", "[experiments][documents]") {
    const Value value =
        parsed("a: 'yes: # no'\nb: [1, ' x ', '', 'null']\nc: |\n  server,cpu\n  s,1\nd: {e: ~}\n")
            .front();
    const std::string once = experiments::emit_yaml(value);
    CHECK(experiments::emit_yaml(parsed(once).front()) == once);
    CHECK(parsed(once).front().find("c")->text == "server,cpu\ns,1\n");
    CHECK(parsed(once).front().find("b")->items[3].text == "null");
}

TEST_CASE("documents: a text of several lines reads back as it was", "[experiments][documents]") {
    const std::string text = GENERATE("a\nb\n",
                                      "  two\nlines",
                                      "a,b\r\nc,d\r\n",
                                      "no end\nhere",
                                      "ends\n\n\n",
                                      "\nbegins\n",
                                      "\n",
                                      "in a \r line",
                                      "at its end\r",
                                      "\r");
    CAPTURE(text);
    Value map;
    map.kind = Value::Kind::map;
    Value scalar;
    scalar.kind = Value::Kind::scalar;
    scalar.text = text;
    map.members.push_back({text, {}, scalar});
    const Value again = parsed(experiments::emit_yaml(map)).front();
    REQUIRE(again.members.size() == 1);
    CHECK(again.members.front().key == text);
    CHECK(again.members.front().value.text == text);
}

TEST_CASE("documents: what is not well-formed is an error at its place",
          "[experiments][documents]") {
    CHECK_THROWS_WITH(parsed("a: [1, 2\nb: 3\n"), Catch::StartsWith("test:"));
    CHECK_THROWS_WITH(parsed("a: 1\na: 2\n"), Catch::StartsWith("test:2:1: error: the key 'a'"));
    CHECK_THROWS_WITH(parsed("{\"a\": 1, \"a\": 2}"), Catch::Contains("occurs twice"));
    CHECK_THROWS_WITH(parsed("{\"a\": }{"), Catch::StartsWith("test:"));
    CHECK(parsed("").empty());
    CHECK(parsed("a: 1\n---\nb: 2\n").size() == 2);
}

TEST_CASE("overrides: a path leads to a value, the last key may be new",
          "[experiments][documents]") {
    Value document = parsed("spec:\n  list:\n    - {x: 1}\n    - {x: 2}\n").front();
    experiments::apply_override(document, experiments::parse_override("spec.list[1].x=5"));
    experiments::apply_override(document, experiments::parse_override("spec.seed=7"));
    experiments::apply_override(document, experiments::parse_override("spec.list[0]={y: [1, 2]}"));
    CHECK(document.find("spec")->find("list")->items[1].find("x")->text == "5");
    CHECK(document.find("spec")->find("seed")->text == "7");
    CHECK(document.find("spec")->find("list")->items[0].find("y")->items.size() == 2);
}

TEST_CASE("overrides: maps that every experiment can have are made on the way",
          "[experiments][documents]") {
    Value document = parsed("spec:\n  seed: 1\n  record:\n").front();
    for (const char* option : {"spec.scheduler.profile.score=[best-fit]",
                               "spec.scheduler.profile.queueSort=fifo",
                               "spec.types.worker={cpu: 1}",
                               "spec.record.sampleEvery=1m"}) {
        experiments::apply_override(document, experiments::parse_override(option));
    }
    const Value& spec = *document.find("spec");
    const Value& profile = *spec.find("scheduler")->find("profile");
    CHECK(profile.find("score")->items.front().text == "best-fit");
    CHECK(profile.find("queueSort")->text == "fifo");
    CHECK(spec.find("types")->find("worker")->find("cpu")->text == "1");
    CHECK(spec.find("record")->find("sampleEvery")->text == "1m");
    CHECK(spec.members.size() == 4);
}

TEST_CASE("overrides: an entry of a list is found by its name", "[experiments][documents]") {
    Value document = parsed(
                         "spec:\n"
                         "  levels: [{name: rack, count: 2}, {name: server, count: 3}]\n"
                         "  machines: [{type: a, weight: 1}, {type: b, weight: 1}]\n"
                         "  score: [best-fit, {name: worst-fit, weight: 1}]\n"
                         "  groups: [{document: {metadata: {name: g}, spec: {}}, at: 0s}]\n"
                         "  sources: [{generate: {name: w, count: 1}}, {trace: {file: x}}]\n")
                         .front();
    for (const char* option : {"spec.levels[rack].count=9",
                               "spec.machines[b].weight=9",
                               "spec.score[best-fit]=random",
                               "spec.score[worst-fit].weight=9",
                               "spec.groups[g].at=9s",
                               "spec.sources[w].generate.count=9",
                               "spec.sources[trace].trace.file=y"}) {
        experiments::apply_override(document, experiments::parse_override(option));
    }
    const Value& spec = *document.find("spec");
    const auto entry = [&](const char* list, std::size_t i) { return spec.find(list)->items[i]; };
    CHECK(entry("levels", 0).find("count")->text == "9");
    CHECK(entry("levels", 1).find("count")->text == "3");
    CHECK(entry("machines", 1).find("weight")->text == "9");
    CHECK(entry("score", 0).text == "random");
    CHECK(entry("score", 1).find("weight")->text == "9");
    CHECK(entry("groups", 0).find("at")->text == "9s");
    CHECK(entry("sources", 0).find("generate")->find("count")->text == "9");
    CHECK(entry("sources", 1).find("trace")->find("file")->text == "y");
}

TEST_CASE("overrides: names in paths need no quotes in YAML", "[experiments][documents]") {
    const Value document =
        parsed("{name: n, path: spec.levels[rack].count, values: [1, 2]}").front();
    CHECK(document.find("path")->text == "spec.levels[rack].count");
    CHECK(document.find("values")->items.size() == 2);
}

TEST_CASE("overrides: a path that leads nowhere is an error", "[experiments][documents]") {
    using Row = std::pair<std::string, std::string>;
    const auto [option, message] = GENERATE(table<std::string, std::string>({
        Row{"spec.lst[0].x=1",
            "has no 'lst': expected list, named or types (did you mean 'spec.list[0].x'?)"},
        Row{"spec.list[2].x=1", "no entry [2]: expected an index below 2"},
        Row{"spec.list[0]..x=1", "is not a path"},
        Row{"spec.list[a]=1", "no entry [a]: expected an index below 2"},
        Row{"spec.list[]=1", "is not a path"},
        Row{"spec.list[0=1", "is not a path"},
        Row{"spec.named[x]=1", "has several entries [x]: expected the index of one, from 0"},
        Row{"spec.named[rakc].a=1", "no entry [rakc]: expected x or rack (did you mean 'rack'?)"},
        Row{"spec.schduler.profile.score=1", "(did you mean 'spec.scheduler.profile'?)"},
        Row{"spec.types.wrker.cpu=1", "has no 'wrker'"},
        Row{"nothing=1", "has no 'nothing'"},
        Row{"=1", "no '='"},
        Row{"spec.seed", "no '='"},
    }));
    CAPTURE(option);
    Value document = parsed(
                         "spec:\n  list:\n    - {x: 1, y: 1}\n    - {x: 2, y: 1}\n"
                         "  named: [{name: x}, {name: x, a: 1}, {type: rack, a: 1}]\n"
                         "  types: {worker: {cpu: 1}}\n")
                         .front();
    CHECK_THROWS_WITH(experiments::apply_override(document, experiments::parse_override(option)),
                      Catch::Contains(message));
}

TEST_CASE("documents: words and numbers are emitted as yaml-cpp emits texts",
          "[experiments][documents]") {
    const std::string text = GENERATE(as<std::string>{},
                                      "null",
                                      "Null",
                                      "NULL",
                                      "nUll",
                                      "~",
                                      "true",
                                      "no",
                                      "0x1f",
                                      "1e3",
                                      "-1",
                                      ".5",
                                      "-",
                                      "a-b",
                                      "a.b_c",
                                      "_a",
                                      "a:",
                                      "a:b",
                                      "a b",
                                      "8g",
                                      "2026-11-28",
                                      "...",
                                      "a#b",
                                      "",
                                      std::string(1024, 'k'),
                                      std::string(1025, 'k'));
    CAPTURE(text);
    Value scalar;
    scalar.kind = Value::Kind::scalar;
    scalar.text = text;
    Value list;
    list.kind = Value::Kind::list;
    list.items.push_back(scalar);
    Value map;
    map.kind = Value::Kind::map;
    map.members.push_back({text, {}, list});
    YAML::Emitter expected;
    expected << YAML::BeginMap << YAML::Key << text << YAML::Value << YAML::BeginSeq << text
             << YAML::EndSeq << YAML::EndMap;
    CHECK(experiments::emit_yaml(map) == std::string(expected.c_str()) + "\n");
}
