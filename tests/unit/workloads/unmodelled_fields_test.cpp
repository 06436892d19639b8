// What objects and tables say without any effect on a run: which values count, and how messages
// report it.

#include "workloads/unmodelled/unmodelled_fields.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/support/json_text.hpp"
#include "core/support/value.hpp"

using namespace berth;
using workloads::FieldCounts;
using workloads::FieldTable;
using workloads::FoundFields;
using workloads::UnmodelledField;

namespace {

constexpr auto fields = std::to_array<UnmodelledField>({
    {"metadata.labels[x.io/*]", "", "labels of x.io"},
    {"metadata.labels[y.io/name]"},
    {"spec.hold"},
    {"spec.ports[].hostPort"},
    {"spec.policy", "=Never|Seldom"},
    {"spec.scheduler", "!default"},
    {"spec.volume", "", "", "volumes are everywhere"},
    {"spec.only", "", "", "", 2},
});

core::Value value_of(const nlohmann::ordered_json& json) {
    core::Value value;
    if (json.is_object()) {
        value.kind = core::Value::Kind::map;
        for (const auto& [key, member] : json.items()) {
            value.members.push_back({key, {}, value_of(member)});
        }
    } else if (json.is_array()) {
        value.kind = core::Value::Kind::list;
        for (const auto& item : json) {
            value.items.push_back(value_of(item));
        }
    } else if (!json.is_null()) {
        value.kind = core::Value::Kind::scalar;
        value.text = json.is_string() ? json.get<std::string>() : json.dump();
    }
    return value;
}

core::Value document(const std::string& text) {
    return value_of(nlohmann::ordered_json::parse(text));
}

std::vector<std::string> names_in(const std::string& text) {
    const FieldTable table(fields, 1);
    core::JsonText json;
    REQUIRE(!json.parse(text));
    FoundFields found;
    table.find(json, core::JsonText::root(), found);
    FoundFields in_document;
    table.find(document(text), in_document);
    CHECK(found == in_document);
    std::vector<std::string> names;
    for (const UnmodelledField* field : found) {
        names.emplace_back(field->name());
    }
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("unmodelled: which values count", "[unmodelled]") {
    const auto [text, names] = GENERATE(table<std::string, Names>({
        {R"({"spec": {}})", {}},
        {R"({"spec": {"hold": true}})", {"hold"}},
        {R"({"spec": {"hold": false}})", {}},
        {R"({"spec": {"hold": null}})", {}},
        {R"({"spec": {"hold": ""}})", {}},
        {R"({"spec": {"hold": []}})", {}},
        {R"({"spec": {"hold": {}}})", {}},
        {R"({"spec": {"hold": {"until": 1}}})", {"hold"}},
        {R"({"spec": {"hold": 0}})", {}},
        {R"({"spec": {"ports": [{"port": 1}, {"hostPort": 2}, {"hostPort": 3}]}})", {"hostPort"}},
        {R"({"spec": {"ports": {"hostPort": 2}}})", {}},
        {R"({"spec": {"policy": "Always"}})", {}},
        {R"({"spec": {"policy": "Seldom"}})", {"policy"}},
        {R"({"spec": {"scheduler": "default"}})", {}},
        {R"({"spec": {"scheduler": "mine", "only": 1}})", {"scheduler"}},
        {R"({"metadata": {"labels": {"x.io/a": "1", "x.io/b": "1"}}})", {"labels of x.io"}},
        {R"({"metadata": {"labels": {"y.io/name": "1", "z": "1"}}})", {"y.io/name"}},
    }));
    CAPTURE(text);
    CHECK(names_in(text) == names);
}

TEST_CASE("unmodelled: numbers as Slurm writes them in JSON", "[unmodelled]") {
    const auto [text, count] = GENERATE(table<std::string, std::size_t>({
        {R"({"spec": {"hold": {"set": true, "infinite": false, "number": 4}}})", 1},
        {R"({"spec": {"hold": {"set": false, "infinite": false, "number": 4}}})", 0},
        {R"({"spec": {"hold": {"set": true, "infinite": false, "number": 0}}})", 0},
    }));
    const FieldTable known(fields);
    core::JsonText json;
    REQUIRE(!json.parse(text));
    FoundFields found;
    known.find(json, core::JsonText::root(), found);
    CAPTURE(text);
    CHECK(found.size() == count);
}

TEST_CASE("unmodelled: the most frequent first, five by name, a line for each remedy",
          "[unmodelled]") {
    constexpr auto many = std::to_array<UnmodelledField>(
        {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}, {"g"}, {"h", "", "", "h never matters"}});
    FieldCounts counts;
    CHECK(counts.lines("pod").empty());
    counts.count(many[1], 1);
    CHECK(counts.lines("pod") ==
          Names{"1 pod with b: a run does not go by this; docs/reference/fields.md says what it "
                "goes by"});
    counts.count(many[2], 3);
    counts.count(many[0], 3);
    CHECK(counts.lines("pod") ==
          Names{"3 pods with a, 3 with c and 1 with b: a run does not go by these; "
                "docs/reference/fields.md says what it goes by"});
    for (std::size_t i = 3; i < many.size(); ++i) {
        counts.count(many[i], 2);
    }
    CHECK(counts.lines("pod") ==
          Names{"3 pods with a, 3 with c, 2 with d, 2 with e, 2 with f and 2 more: a run does not "
                "go by these; docs/reference/fields.md says what it goes by",
                "2 pods with h: h never matters"});
}

TEST_CASE("unmodelled: a trimmed object keeps what is counted", "[unmodelled]") {
    const FieldTable table(fields);
    const core::Value whole = document(
        R"({"metadata": {"labels": {"x.io/a": "b", "z": "c"}}, "spec": {"name": "n",
            "volume": {"claim": "v"}, "ports": [{"port": 1}, {"port": 2, "hostPort": 3}],
            "policy": "Always"}})");
    core::Value kept;
    table.keep(whole, kept);
    FoundFields of_whole;
    FoundFields of_kept;
    table.find(whole, of_whole);
    table.find(kept, of_kept);
    CHECK(of_whole.size() == 3);
    CHECK(of_kept == of_whole);
    CHECK(kept.find("spec")->find("name") == nullptr);
    CHECK(kept.find("spec")->find("policy") == nullptr);
    CHECK(kept.find("metadata")->find("labels")->members.size() == 1);
    CHECK(kept.find("spec")->find("ports")->items.size() == 1);
}
