#include <string>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Checks that a command refuses a file with this first line of its message, and writes nothing.
void check_refused(const Folder& folder, const Arguments& arguments, const std::string& message) {
    const auto before = folder.listing();
    const Answer answer = folder.berth(arguments, {.seconds_max = 5});
    CAPTURE(arguments);
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    CHECK(answer.first_line() == message);
    CHECK(folder.listing() == before);
}

}  // namespace

TEST_CASE("a file that cannot be read is refused by its name", "[cli][bad-input]") {
    const Folder folder;
    folder.write("folder/file", "");
    const std::string command = GENERATE("run", "topology", "workload", "validate");
    check_refused(folder,
                  {command, "missing.yaml"},
                  "missing.yaml: error: cannot be read (No such file or directory): expected a "
                  "readable file");
    check_refused(folder,
                  {command, "folder"},
                  "folder: error: cannot be read (is a directory): expected a readable file");
}

TEST_CASE("a file without a document is refused", "[cli][bad-input]") {
    const Folder folder;
    const std::string text = GENERATE("", "\n", "# only a comment\n", "---\n---\n");
    folder.write("empty.yaml", text);
    check_refused(folder,
                  {"run", "empty.yaml"},
                  "empty.yaml: error: found nothing: expected kind: Experiment");
    check_refused(
        folder, {"validate", "empty.yaml"}, "empty.yaml: error: is empty: expected a document");
}

TEST_CASE("a text that is no document is refused where it goes wrong", "[cli][bad-input]") {
    const auto [text, message] = GENERATE(table<std::string, std::string>({
        {"a: [1\n",
         "2:1: error: the '[' of line 1, column 4 is still open here: expected a ',' or its ']' "
         "before this"},
        {"a: 1\n\tb: 2\n",
         "2:1: error: a tab in the indentation, which YAML does not allow: expected spaces"},
        {"{\"kind\": \"Experiment\",\n \"kind\": \"Experiment\"}",
         "2:2: error: the key 'kind' occurs twice: expected each key once"},
        {"{\"kind\": \"Experiment\",\n \"spec\": {,}}",
         "2:11: error: a key is no text: expected a name"},
        {"kind: Experimnt\n",
         "1:7: error: found kind 'Experimnt': expected Experiment (did you mean 'Experiment'?)"},
        {"kind: Topology\n",
         "1:7: error: found kind 'Topology': expected Experiment; write one whose spec has "
         "topology: {file: bad.yaml}"},
        {"[1, 2]\n", "1:1: error: found a list: expected a document, a map with kind and spec"},
        {"kind: Experiment\n", "1:1: error: an Experiment has no 'spec': expected one"},
        {"? [a]\n: b\n", "1:3: error: a key is no text: expected a name"},
    }));
    const Folder folder;
    folder.write("bad.yaml", text);
    check_refused(folder, {"run", "bad.yaml"}, "bad.yaml:" + message);
}

TEST_CASE("two experiments in one file are refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("two.yaml", sound_experiment + "---\n" + sound_experiment);
    check_refused(folder,
                  {"run", "two.yaml"},
                  "two.yaml:37:1: error: a second Experiment in one file: expected one");
}

TEST_CASE("twenty errors of a file are shown, and how many there are more", "[cli][bad-input]") {
    std::string keys;
    for (int key = 0; key < 33; ++key) {
        keys += "  wrong-" + std::to_string(key) + ": 1\n";
    }
    const Folder folder;
    folder.write("bad.yaml", sound_experiment + keys);
    const Answer answer = folder.berth({"run", "bad.yaml"});
    CHECK(answer.status == 2);
    std::size_t shown = 0;
    for (std::size_t at = answer.err.find(": error: "); at != std::string::npos;
         at = answer.err.find(": error: ", at + 1)) {
        ++shown;
    }
    CHECK(shown == 20);
    CHECK_THAT(answer.err, Catch::EndsWith("\nand 13 more\n"));
}

TEST_CASE("a damaged compressed file is refused", "[cli][bad-input]") {
    const auto name = GENERATE(as<std::string>(), "bad.yaml.gz", "bad.yaml.zst");
    const std::string text = GENERATE("plain text", "\x1f\x8b\x08");
    const Folder folder;
    folder.write(name, text);
    const Answer answer = folder.berth({"run", name});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.first_line(),
               Catch::StartsWith(name + ": error: cut short or damaged (") &&
                   Catch::EndsWith("expected a whole compressed file"));
}

TEST_CASE("a missing file of a document is reported where it is named", "[cli][bad-input]") {
    check_mistakes("run",
                   sound_experiment,
                   {{"background",
                     "{load: 0.2, full: 0.1, idle: 0.1, variation: 1}",
                     "{file: none.csv}",
                     "16:26: error: none.csv cannot be read (No such file or directory): expected "
                     "a readable file"},
                    {"group",
                     "- pods: [{type: small, at: 1s, lifetime: 1m}]",
                     "- groups: [{file: none.yaml}]",
                     "26:23: error: none.yaml cannot be read (No such file or directory): expected "
                     "a readable file"},
                    {"workload",
                     "- pods: [{type: small, at: 1s, lifetime: 1m}]",
                     "- file: none.yaml",
                     "26:13: error: none.yaml cannot be read (No such file or directory): expected "
                     "a readable file"}});
}

TEST_CASE("a document that refers to itself is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("bad.yaml", "kind: Experiment\nspec: &a [*a]\n");
    CHECK(folder.berth({"run", "bad.yaml"}).status == 2);
}

TEST_CASE("a document that is nested beyond all reason is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("bad.json", std::string(200'000, '[') + std::string(200'000, ']'));
    CHECK(folder.berth({"run", "bad.json"}).status == 2);
}

TEST_CASE("metadata has the keys that Kubernetes has", "[cli][bad-input]") {
    const std::string message =
        "unknown key 'nmae' in metadata: expected name, namespace, labels, annotations, "
        "generateName, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, "
        "deletionGracePeriodSeconds, ownerReferences, finalizers, managedFields, selfLink or "
        "clusterName (did you mean 'name'?)";
    const std::string text = GENERATE(
        "kind: Experiment\nmetadata: {nmae: x}\nspec: {}\n",
        "kind: Topology\nmetadata: {nmae: x}\nspec: {}\n",
        "kind: Sweep\nmetadata: {nmae: x}\nspec: {}\n",
        "kind: GroupPlacement\nmetadata: {nmae: x}\nspec: {}\n",
        "kind: ElasticQuota\nmetadata: {nmae: x}\nspec: {}\n",
        "kind: Node\nmetadata: {nmae: x}\n",
        "kind: Device\nmetadata: {nmae: x}\n",
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {nmae: x, name: y}\n");
    CAPTURE(text);
    const Folder folder;
    folder.write("one.yaml", text);
    const Answer answer = folder.berth({"validate", "one.yaml"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains(message));
    folder.write("one.yaml",
                 "kind: ElasticQuota\nmetadata: {name: x, uid: u, generation: 3, resourceVersion: "
                 "'7', creationTimestamp: '2026-01-01T00:00:00Z', finalizers: [f], selfLink: s, "
                 "managedFields: [], ownerReferences: [], labels: {a: b}, annotations: {c: d}}\n"
                 "spec: {max: {cpu: 1}}\n");
    CHECK(folder.berth({"validate", "one.yaml"}).status == 0);
}
