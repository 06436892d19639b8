#include "experiments/program/config/experiment/read_topology_file.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/support/documents.hpp"
#include "fuzz/mutation.hpp"
#include "support/dice.hpp"
#include "support/folder.hpp"
#include "topologies/read_topology.hpp"
#include "topologies/writers.hpp"

using namespace berth;

namespace {

/// The topology and the servers that have certain labels, or the errors; then the warnings.
template <class Read>
std::string outcome(Read read) {
    core::Diagnostics diagnostics;
    std::ostringstream out;
    try {
        const std::optional<core::Topology> topology = read(diagnostics);
        diagnostics.throw_if_failed();
        topologies::write_json(out, *topology);
        for (const char* value : {"z1", "gpu", "a"}) {
            for (const bool with : core::servers_with(*topology, {{"zone", value}})) {
                out << with;
            }
        }
    } catch (const core::InputError& error) {
        out << error.what();
    }
    for (const std::string& warning : diagnostics.warnings()) {
        out << warning << "\n";
    }
    return out.str();
}

std::string as_read(const std::filesystem::path& file) {
    return outcome([&](core::Diagnostics& diagnostics) {
        return experiments::read_topology_file(file, diagnostics);
    });
}

/// The same from the readers of whole documents.
std::string as_read_whole(const std::filesystem::path& file) {
    return outcome([&](core::Diagnostics& diagnostics) {
        const auto document = experiments::document_of_kind(
            experiments::read_source(file),
            {"Topology", "TopologyTree", "Node", "NodeList", "List", "Experiment"});
        return topologies::read_topology(document, {}, diagnostics);
    });
}

std::string kubernetes_node(const std::string& name, const std::string& labels) {
    return R"({"apiVersion": "v1", "kind": "Node", "metadata": {"annotations": {"x": "{\"a\":1}"},
"labels": {)" +
           labels + R"(}, "name": ")" + name + R"("},
"status": {"conditions": [{"type": "Ready"}], "allocatable": {"cpu": "7500m", "memory": "10Gi",
"nvidia.com/gpu": "8"}}})";
}

const std::string region_a = R"("topology.kubernetes.io/region": "a", )";
const std::string gpu =
    R"("node.kubernetes.io/instance-type": "hgx", "nvidia.com/gpu.product": "H100", "zone": "gpu")";

const std::vector<std::string> texts{
    "{\"apiVersion\": \"v1\", \"items\": [\n" + kubernetes_node("n1", region_a + gpu) + ",\n" +
        kubernetes_node("n2", gpu) + ",\n" +
        kubernetes_node("n3", R"("topology.kubernetes.io/region": "b", "zone": "z1")") +
        ",\n{\"kind\": \"Pod\"}\n], \"kind\": \"List\"}\n",
    R"({"kind": "NodeList", "items": [{"metadata": {"name": "a"}, "status": {"capacity": {"cpu": 4}}},
{"metadata": {"name": "b", "labels": {"zone": "a"}}, "status": {"capacity": {"pods": 9}}}]})",
    R"({"items": [{"metadata": {"name": "a"}, "status": {"capacity": {"cpu": 4}}}],
"kind": "NodeList"})",
    kubernetes_node("alone", gpu),
    R"({"apiVersion": "berth/v1", "kind": "Topology", "metadata": {"name": "x"}, "spec": {
"levels": ["cluster", "rack", "server"],
"machineTypes": {"m": {"capacity": {"cpu": "4"}, "traits": ["NOBODY_KNOWS"]},
"n": {"capacity": {}}},
"sharedProviders": [{"name": "s", "level": "rack", "inventories": {"DISK_GB": {"total": 5}}}],
"nodes": [
{"name": "c"},
{"name": "s2", "parent": "r2", "type": "n"},
{"name": "r1", "parent": "c"}, {"name": "r2", "parent": "c"},
{"name": "s1", "parent": "r1", "type": "m"}, {"name": "s3", "parent": "r2", "type": "m"}]}})",
    R"({"kind": "Topology", "spec": {"levels": ["c", "s"], "machineTypes": {"m": {}}, "nodes": [
{"name": "x", "id": "1"}, {"name": "x", "id": "2", "parent": "1", "type": "m"},
{"name": "y", "parent": "1", "type": "m"}]}})",
    R"({"kind": "Topology", "spec": {"levels": ["c", "s"], "nodes": [{"name": "c"},
{"name": "s", "parent": "c", "type": "m"}], "machineTypes": {"m": {}}}})",
    R"({"kind": "Topology", "spec": {"levels": [{"name": "rack", "count": 2},
{"name": "server", "count": 3}], "machines": [{"type": "m"}], "machineTypes": {"m": {}}}})",
    R"({"kind": "TopologyTree", "spec": {"level-names": ["r", "s"], "tree": {"level": {"r": {"level":
{"s": {}}}}}}})",
};

}  // namespace

TEST_CASE("topology file: in parts and whole it is the same topology", "[experiments][topology]") {
    const tests::TestFolder folder;
    const auto file = folder.path() / "t.json";
    for (const std::string& text : texts) {
        CAPTURE(text);
        folder.write("t.json", text);
        CHECK(as_read(file) == as_read_whole(file));
    }
    folder.write("t.json", texts.front());
    CHECK(as_read(file).find("1 of 3 nodes, this one first, have no label") != std::string::npos);
}

TEST_CASE("topology file: changed files are read or refused as they are whole",
          "[experiments][topology]") {
    const tests::TestFolder folder;
    const auto file = folder.path() / "t.json";
    for (std::uint64_t seed = 1; seed <= tests::cases(1500); ++seed) {
        tests::Dice dice(seed);
        std::string text = texts[seed % texts.size()];
        for (std::int64_t change = dice.roll(1, 3); change > 0; --change) {
            tests::mutate(text, dice);
        }
        if (text.find("Experiment") != std::string::npos) {
            continue;  // it would be read as an Experiment
        }
        CAPTURE(seed, text);
        folder.write("t.json", text);
        REQUIRE(as_read(file) == as_read_whole(file));
    }
}

TEST_CASE("topology file: a byte order mark is passed over", "[experiments][topology]") {
    const tests::TestFolder folder;
    folder.write("t.json", "\xEF\xBB\xBF" + texts.front());
    const std::string marked = as_read(folder.path() / "t.json");
    CHECK(marked == as_read_whole(folder.path() / "t.json"));
    CHECK(marked.find("n3") != std::string::npos);
}
