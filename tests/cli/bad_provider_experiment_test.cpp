#include <catch2/catch.hpp>
#include <string>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string sound = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: providers}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes:
        host: {capacity: {cpu: 8, seat: 4}, devices: {gpu: {count: 1}, nic: {count: 1, vfs: 4}}}
  types:
    plain: {cpu: 1, nvidia.com/gpu: 1, seat: 1}
    vm: {candidates: "resources=VCPU:2"}
  workload:
    - pods: [{type: plain, at: 1s, lifetime: 1m}, {type: vm, at: 2s, lifetime: 1m}]
  scheduler:
    profile:
      filter: [{name: allocation-candidates, choice: first}]
)";

const std::string filter = "[{name: allocation-candidates, choice: first}]";
const std::string query = "\"resources=VCPU:2\"";

}  // namespace

TEST_CASE("the filter allocation-candidates is refused where it is wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"an unknown plug-in",
          filter,
          "[allocation-candidate]",
          "18:16: error: unknown filter plug-in 'allocation-candidate': expected resources-fit or "
          "allocation-candidates (did you mean 'allocation-candidates'?)"},
         {"an unknown option",
          "choice: first",
          "choose: first",
          "18:46: error: unknown key 'choose' in allocation-candidates: expected name or choice "
          "(did you mean 'choice'?)"},
         {"an unknown choice",
          "choice: first",
          "choice: best",
          "18:54: error: unknown choice 'best': expected first, pack or spread"},
         {"an allocator of devices beside it",
          filter,
          filter + "\n      reserve: [first-fit]",
          "18:15: error: allocation-candidates cannot be used with reserve: [first-fit], since "
          "both give out devices: expected one of them"}});
}

TEST_CASE("queries of types are refused where they are wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"no text", query, "[VCPU]", "13:22: error: found a list: expected a text"},
         {"an empty query",
          query,
          "\"\"",
          "13:22: error: There must be at least one resources or resources[$S] parameter.: "
          "expected "
          "a query such as resources=VCPU:2,MEMORY_MB:2048"},
         {"no query",
          query,
          "\"resources=VCPU\"",
          "13:22: error: Badly formed resources parameter. Expected resources query string "
          "parameter in form: ?resources=VCPU:2,MEMORY_MB:1024. Got: VCPU.: expected a query such "
          "as resources=VCPU:2,MEMORY_MB:2048"},
         {"a limit",
          query,
          "\"resources=VCPU:2&limit=3\"",
          "13:22: error: limit cannot be used in the query of a pod, which takes one candidate: "
          "expected no limit"},
         {"more than can be counted",
          query,
          "\"resources=VCPU:99999999999999999999\"",
          "13:22: error: the query asks for more than can be counted: expected less"},
         {"an unknown resource class",
          query,
          "\"resources=VCPUS:2\"",
          "13:9: error: the query names the unknown resource class 'VCPUS': expected one of the "
          "topology's or a standard one (did you mean 'VCPU'?)"},
         {"an unknown trait",
          query,
          "\"resources=VCPU:2&required=CUSTOM_FAST\"",
          "13:9: error: the query names the unknown trait 'CUSTOM_FAST': expected one of the "
          "topology's or a standard one"},
         {"an amount that the query says",
          "candidates: \"",
          "cpu: 2, candidates: \"",
          "13:10: error: 'cpu' cannot be used with candidates: expected it in the query only"},
         {"a device beside it",
          "candidates: \"",
          "nvidia.com/gpu: 1, candidates: \"",
          "13:10: error: 'nvidia.com/gpu' cannot be used with candidates: expected it in the query "
          "only"},
         {"an annotation beside it",
          "candidates: \"",
          "annotations: {}, candidates: \"",
          "13:10: error: 'annotations' cannot be used with candidates: expected it in the query "
          "only"},
         {"nobody who looks for candidates",
          filter,
          "[resources-fit]",
          "13:9: error: type 'vm' has candidates, and no plug-in looks for any: expected filter: "
          "[allocation-candidates] in the profile"}});
}

TEST_CASE("amounts that no query can ask for are refused", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound,
        {{"a part of a CPU",
          "plain: {cpu: 1,",
          "plain: {cpu: 500m,",
          "12:12: error: no allocation candidate for 500m of cpu: expected whole CPUs, MiB of "
          "memory, GiB of disk, or devices"},
         {"a part of a GPU",
          "nvidia.com/gpu: 1",
          "nvidia.com/gpu: 500m",
          "12:12: error: no allocation candidate for 500m of nvidia.com/gpu: expected whole CPUs, "
          "MiB of memory, GiB of disk, or devices"},
         {"a device with virtual functions",
          "seat: 1}",
          "nic: 1}",
          "12:12: error: no allocation candidate for 1 of nic: expected candidates: with a query, "
          "since such devices have virtual functions"},
         {"devices in words of an allocator",
          "nvidia.com/gpu: 1",
          "koordinator.sh/gpu: 100",
          "12:12: error: type 'plain' asks for devices in words of their allocators, which filter: "
          "[allocation-candidates] does not read: expected candidates: with a query"},
         {"a profile of instances with parts of a CPU",
          "{type: plain",
          "{type: bx2-0.5x1",
          "15:21: error: no allocation candidate for 500m of cpu: expected whole CPUs, MiB of "
          "memory, GiB of disk, or devices"}});
}

TEST_CASE("a sound experiment with allocation candidates runs", "[cli]") {
    const Folder folder;
    folder.write("sound.yaml", sound);
    (void)done(folder, {"run", "sound.yaml", "--quiet"});
}
