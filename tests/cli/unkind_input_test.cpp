// Typical mistakes of newcomers, and the answers that help them.

#include <string>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

TEST_CASE("unkind: slips in an experiment are answered with what to write", "[cli][unkind]") {
    check_mistakes(
        "run",
        sound_experiment,
        {{"a tab",
          "    - pods:",
          "\t- pods:",
          "26:1: error: a tab in the indentation, which YAML does not allow: expected spaces"},
         {"a policy for short",
          "score: [best-fit]",
          "score: [fgd]",
          "34:48: error: unknown score plug-in 'fgd': expected balanced-allocation, best-fit, "
          "dot-product, first-fit, "
          "fragmentation-gradient-descent, gpu-clustering, gpu-packing, least-allocated, "
          "most-allocated, random, topology-aware-fragmentation, topology-aware-packing or "
          "worst-fit (did you mean 'fragmentation-gradient-descent'?)"},
         {"a duration without a unit",
          "mean: 1m}",
          "mean: 5}",
          "28:53: error: found '5': expected a duration with its unit, such as 5s or 5m"},
         {"bytes as people write them",
          "memory: 8Gi",
          "memory: 8GB",
          "14:29: error: '8GB' of memory: expected a Kubernetes quantity such as 500m, 16 or 256Gi "
          "(did you mean 8G or 8Gi?)"},
         {"bytes of a machine",
          "memory: 64Gi",
          "memory: 64gib",
          "12:44: error: found '64gib': expected a Kubernetes quantity such as 500m, 16 or 256Gi "
          "(did you mean 64Gi?)"},
         {"a distribution that there is not",
          "{distribution: log-normal, mean: 5m, variation: 2}",
          "{distribution: normal, mean: 5m, sd: 1m}",
          "29:33: error: unknown distribution 'normal': expected constant, uniform, exponential, "
          "log-normal, weibull, pareto or empirical (did you mean 'log-normal'?)"},
         {"more servers than anybody has",
          "rack, count: 2",
          "rack, count: 40000000",
          "9:33: error: found 160000001 nodes down to level 'server', which would take about 14 "
          "GiB: expected at most 50000000"}});
}

TEST_CASE("unkind: what an entry of mix says is refused beside mix", "[cli][unkind]") {
    const auto [key, value] = GENERATE(table<std::string, std::string>({{"class", "a"},
                                                                        {"estimate", "5m"},
                                                                        {"group", "{}"},
                                                                        {"namespace", "team"},
                                                                        {"preemptible", "false"},
                                                                        {"priority", "1"},
                                                                        {"quota", "team"},
                                                                        {"type", "small"},
                                                                        {"user", "ann"}}));
    const std::string beside = "        mix: [{type: small}]\n        " + key + ": " + value + "\n";
    check_mistakes("validate",
                   sound_experiment,
                   {{key,
                     "        type: small\n",
                     beside,
                     "31:9: error: '" + key + "' beside mix: expected it in the entries of mix"}});
}

TEST_CASE("unkind: what is no document is called what it is", "[cli][unkind]") {
    struct Row {
        std::string text;
        std::string message;
    };
    const Row row = GENERATE(
        Row{"a text\n",
            "bad.yaml:1:1: error: found a text or a table: expected a document, a map with kind "
            "and spec; a table of jobs is a workload's trace: {format: csv, file: ...}, and berth "
            "workload FILE --from csv shows it"},
        Row{"[1, 2]\n",
            "bad.yaml:1:1: error: found a list: expected a document, a map with kind and spec"},
        Row{"apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nspec: {}\n",
            "bad.yaml:1:13: error: Queue of scheduling.volcano.sh is not supported yet: expected a "
            "kind of berth, Kubernetes or Koordinator that docs/reference names"});
    const Folder folder;
    folder.write("bad.yaml", row.text);
    for (const char* command : {"validate", "run"}) {
        CAPTURE(command);
        const Answer answer = folder.berth({command, "bad.yaml"});
        CHECK(answer.status == 2);
        CHECK(answer.first_line() == row.message);
        CHECK(answer.err.find(": error: ") == answer.err.rfind(": error: "));
    }
}

TEST_CASE("unkind: a folder of results is no document", "[cli][unkind]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    (void)done(folder, {"run", "sound.yaml", "--quiet"});
    const Answer answer = folder.berth({"validate", "out/tiny"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "out/tiny: error: is a folder of results: expected a document, such as "
          "out/tiny/experiment.yaml in it");
}

TEST_CASE("unkind: a resource that no server has", "[cli][unkind]") {
    const Folder folder;
    folder.write("typo.yaml",
                 replaced(replaced(sound_experiment,
                                   "{cpu: 16, memory: 64Gi}",
                                   "{cpu: 16, memory: 64Gi, nvidia.com/gpu: 8}"),
                          "small: {cpu: 4, memory: 8Gi}",
                          "small: {cpu: 4, memory: 8Gi, nvidia.com/gpus: 1}"));
    const Answer answer = folder.berth({"validate", "typo.yaml"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.err,
               Catch::Contains("a pod asks for nvidia.com/gpus, which no server has (did you mean "
                               "'nvidia.com/gpu'?): it can never start"));
}
