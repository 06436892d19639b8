/// Documents that users write, each read by its command. An input is a document, followed by the
/// files that it names.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/program/config/experiment/read_nodes_file.hpp"
#include "fuzz/target.hpp"

namespace berth::tests {
namespace {

std::string written(std::string_view bytes, std::string_view first) {
    const auto& folder = fresh_folder();
    write_files(folder, bytes, first);
    return (folder / first).string();
}

/// The size that the counts of a text ask for: the product of the numbers after each `count`. One
/// line may ask for ten million servers or pods, which take time and memory within the allowed
/// limits. A number beyond all limits is refused, and asks for nothing.
std::int64_t counted(std::string_view bytes) {
    constexpr std::int64_t most = 1'000'000'000;
    std::int64_t product = 1;
    for (std::size_t at = bytes.find("count"); at != bytes.npos; at = bytes.find("count", at + 1)) {
        std::int64_t sum = 0;
        std::int64_t number = 0;
        for (const char letter :
             bytes.substr(at, std::min(bytes.find_first_of("}\n", at) - at, bytes.size() - at))) {
            const bool digit = letter >= '0' && letter <= '9';
            number = digit ? std::min(most, 10 * number + (letter - '0')) : 0;
            sum = std::min(most, sum + number);
        }
        product = std::min(most, product * (sum == most ? 1 : std::max<std::int64_t>(sum, 1)));
    }
    return product;
}

void validate(std::string_view bytes) {
    constexpr std::int64_t counted_max = 1'000'000;
    if (counted(bytes) <= counted_max) {
        runs("validate", {written(bytes, "main.yaml")});
    }
}

constexpr std::string_view cluster = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: fuzz}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 2}]
      machines: [{type: node}]
      machineTypes: {node: {capacity: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}}
  types: {one: {cpu: 1, nvidia.com/gpu: 1}}
  until: 1h
  workload:
    - pods: [{name: a, type: one, count: 2, lifetime: 10m}]
)";

/// Validates an experiment on a small cluster with one more source, which names the input.
void validate_source(std::string_view bytes, const std::string& source) {
    const auto& folder = fresh_folder();
    write_input(folder / "input", bytes);
    write_input(folder / "main.yaml", std::string(cluster) + "    - " + source + "\n");
    runs("validate", {(folder / "main.yaml").string()});
}

}  // namespace

void fuzz_experiment(std::string_view bytes) {
    validate(bytes);
}

void fuzz_group_placement(std::string_view bytes) {
    validate(bytes);
}

void fuzz_quotas(std::string_view bytes) {
    validate(bytes);
}

void fuzz_sweep(std::string_view bytes) {
    validate(bytes);
}

void fuzz_workload(std::string_view bytes) {
    validate(bytes);
}

void fuzz_devices(std::string_view bytes) {
    const auto& folder = fresh_folder();
    write_input(folder / "input", bytes);
    runs("validate", {(folder / "input").string()});
    validate_source(bytes, "pods: []\n  devices: [{file: input}]");
}

void fuzz_running(std::string_view bytes) {
    validate_source(bytes, "running: {file: input, pending: true}");
    validate_source(bytes, "running: {file: input, pending: true, lenient: true, lifetime: 1h}");
}

void fuzz_background(std::string_view bytes) {
    validate_source(bytes, "background: {file: input}");
}

void fuzz_failures(std::string_view bytes) {
    const std::string pods = "pods: [{type: one, lifetime: 10m}]\n";
    for (const char* named : {"{file: input}", "{file: input, zero: 2026-01-01T00:30:00}"}) {
        validate_source(bytes, pods + "  failures: " + named);
    }
}

void fuzz_topology(std::string_view bytes) {
    constexpr std::int64_t written_max = 2000;
    const std::string file = written(bytes, "main.yaml");
    validate(bytes);
    if (counted(bytes) > written_max) {
        return;
    }
    for (const char* format :
         {"text", "dot", "graphml", "json", "device", "group-keys", "providers"}) {
        runs("topology", {file, "--format", format});
    }
}

void fuzz_graphml(std::string_view bytes) {
    const std::string file = (fresh_folder() / "input.graphml").string();
    write_input(file, bytes);
    runs("validate", {file});
    runs("topology", {file, "--format", "graphml"});
}

void fuzz_nodes(std::string_view bytes) {
    const auto file = fresh_folder() / "nodes.csv";
    write_input(file, bytes);
    for (const char* format : {"", "openb", "spot"}) {
        reads([&] {
            core::Diagnostics diagnostics;
            (void)experiments::read_nodes_file(file, format, "--from", diagnostics);
            diagnostics.throw_if_failed();
        });
    }
}

void fuzz_providers(std::string_view bytes) {
    const std::string file = written(bytes, "main.yaml");
    const auto files = split_files(bytes, "main.yaml");
    const auto query =
        std::ranges::find(files, "query", &std::pair<std::string, std::string>::first);
    const std::string text = query == files.end() ? "resources=VCPU:1" : query->second;
    runs("validate", {file});
    runs("candidates", {file, text, "--json", "--limit", "3"});
    runs("candidates", {file, text, "--explain"});
    runs("candidates", {file, text, "--count"});
}

}  // namespace berth::tests
