#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

TEST_CASE("a wrong group is refused where it is wrong", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_experiment,
        {{"unknown level",
          "level: rack",
          "level: rak",
          "23:27: error: unknown level 'rak': expected cluster, rack or server (did you mean "
          "'rack'?)"},
         {"a second constraint for a level",
          "soft: true}\n",
          "soft: true}\n                - {level: rack, affinity: pack}\n",
          "24:19: error: a second constraint for level 'rack': expected one"},
         {"unknown affinity",
          "affinity: pack",
          "affinity: pakc",
          "23:43: error: unknown affinity 'pakc': expected pack or spread (did you mean 'pack'?)"},
         {"no affinity",
          "level: rack, affinity: pack",
          "level: rack",
          "23:19: error: a constraint has no 'affinity': expected one"},
         {"soft that is neither true nor false",
          "soft: true",
          "soft: maybe",
          "23:55: error: found 'maybe': expected true or false"},
         {"min without max",
          "soft: true",
          "soft: true, min: 4",
          "23:19: error: min without max or max without min: expected both"},
         {"min above max",
          "soft: true",
          "soft: true, min: 4, max: 3",
          "23:19: error: min 4 above max 3: expected min <= max"},
         {"size zero",
          "size: 4",
          "size: 0",
          "21:38: error: found '0': expected a whole number from 1 to 10000000"},
         {"negative size",
          "size: 4",
          "size: -4",
          "21:38: error: found '-4': expected a whole number from 1 to 10000000"},
         {"fractional size",
          "size: 4",
          "size: 2.5",
          "21:38: error: found '2.5': expected a whole number from 1 to 10000000"},
         {"no size", "size: 4, ", "", "21:22: error: the group has no 'size': expected one"},
         {"more available than there are",
          "size: 4",
          "size: 4, minAvailable: 5",
          "21:55: error: found '5': expected a whole number from 1 to 4"},
         {"unknown type",
          "4, type: small",
          "4, type: smal",
          "21:47: error: unknown type 'smal': expected small (did you mean 'small'?)"},
         {"negative time",
          "lifetime: 1h",
          "lifetime: -1h",
          "25:21: error: found '-1h': expected a duration that is not negative, such as 10ms, 10s, "
          "5m, 24h or 7d"},
         {"a time beyond all times",
          "lifetime: 1h",
          "lifetime: 99999999999d",
          "25:21: error: found '99999999999d': expected a duration of at most 106751d, which is "
          "292 years"},
         {"a resize without size",
          "lifetime: 1h",
          "resize: [{at: 5m}]",
          "25:20: error: a resize has no 'size': expected one"}});
}

TEST_CASE("wrong amounts and counts are refused where they are", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_experiment,
        {{"negative demand",
          "small: {cpu: 4",
          "small: {cpu: -4",
          "14:18: error: '-4' of cpu: expected no negative amount"},
         {"a type that is no map",
          "{cpu: 4, memory: 8Gi}",
          "4",
          "14:12: error: found '4': expected amounts such as {cpu: 2, memory: 32Gi}"},
         {"a type twice",
          "  workload:",
          "    small: {cpu: 1}\n  workload:",
          "15:5: error: the key 'small' occurs twice: expected each key once"},
         {"negative capacity",
          "cpu: 16",
          "cpu: -16",
          "12:32: error: found '-16': expected no negative amount"},
         {"a capacity that overflows",
          "cpu: 16",
          "cpu: 90000000000000000000000",
          "12:32: error: found '90000000000000000000000': expected at most 9223372036854775807 "
          "milli-CPU"},
         {"fractional count",
          "rack, count: 2",
          "rack, count: 2.5",
          "8:31: error: found '2.5': expected a whole number from 1 to 2147483648"},
         {"no replications",
          "spec:\n",
          "spec:\n  replications: 0\n",
          "5:17: error: found '0': expected a whole number from 1 to 100000"},
         {"negative seed",
          "spec:\n",
          "spec:\n  seed: -1\n",
          "5:9: error: found '-1': expected a whole number of at least 0"},
         {"no pods",
          "at: 1s",
          "count: 0, at: 1s",
          "26:35: error: found '0': expected a whole number of at least 1"},
         {"more pods than a list may hold",
          "at: 1s",
          "count: 10000001, at: 1s",
          "26:14: error: more than 10000000 pods in one list, which is held in memory: expected "
          "fewer, or generate, which brings them one by one"}});
}

TEST_CASE("an unknown key is refused and the nearest one proposed", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_experiment,
        {{"of the document",
          "spec:",
          "sepc: {}\nspec:",
          "4:1: error: unknown key 'sepc' in an Experiment: expected apiVersion, kind, metadata or "
          "spec (did you mean 'spec'?)"},
         {"of the spec",
          "  types:",
          "  seeed: 1\n  types:",
          "13:3: error: unknown key 'seeed' in an Experiment's spec: expected seed, replications, "
          "types, topology, devices, workload, quotas, quotaChanges, "
          "unknownQuotas, recycler, failures, drains, runTime, descheduler, scheduler, until, "
          "record, claims or "
          "expect (did you mean 'seed'?)"},
         {"of the workload",
          "- background",
          "- backgruond",
          "16:7: error: unknown key 'backgruond' in a workload source: expected background, "
          "groups, pods, generate, running or trace (did you mean 'background'?)"},
         {"of the background",
          "idle: 0.1",
          "idlee: 0.1",
          "16:42: error: unknown key 'idlee' in background: expected file, name, csv, load, full, "
          "idle or variation (did you mean 'idle'?)"},
         {"of the profile",
          "score: [best",
          "scores: [best",
          "34:40: error: unknown key 'scores' in a profile: expected queueSort, preFilter, filter, "
          "postFilter, placementGroup, score or reserve (did you mean 'score'?)"},
         {"of the record",
          "sampleEvery: 10m",
          "sampleEvry: 10m",
          "35:12: error: unknown key 'sampleEvry' in record: expected sampleEvery, placements, "
          "attainable, waitsOver, from, to or warmUp (did you mean 'sampleEvery'?)"}});
}

TEST_CASE("a wrong choice is refused where it is made", "[cli][bad-input]") {
    check_mistakes(
        "run",
        sound_experiment,
        {{"api version",
          "berth/v1",
          "berth/v2",
          "1:13: error: found 'berth/v2': expected berth/v1"},
         {"retry",
          "retry: always",
          "retry: sometimes",
          "33:12: error: unknown retry 'sometimes': expected always or never"},
         {"filter",
          "filter: [resources-fit]",
          "filter: [nonsense]",
          "34:24: error: unknown filter plug-in 'nonsense': expected resources-fit or "
          "allocation-candidates"},
         {"score",
          "[best-fit]",
          "[best-fit, bestfit]",
          "34:58: error: unknown score plug-in 'bestfit': expected balanced-allocation, best-fit, "
          "dot-product, first-fit, fragmentation-gradient-descent, gpu-clustering, "
          "gpu-packing, least-allocated, most-allocated, random, "
          "topology-aware-fragmentation, topology-aware-packing or worst-fit "
          "(did you mean 'best-fit'?)"},
         {"sampling without end",
          "sampleEvery: 10m",
          "sampleEvery: 0s",
          "35:25: error: found '0s': expected a duration above 0, or arrival"},
         {"load",
          "load: 0.2",
          "load: 1.2",
          "16:26: error: found '1.2': expected a number from 0 to 1"},
         {"a load that is no number",
          "load: 0.2",
          "load: nan",
          "16:26: error: found 'nan': expected a number from 0 to 1"},
         {"more than all servers",
          "full: 0.1, idle: 0.1",
          "full: 0.7, idle: 0.7",
          "16:19: error: full and idle above 1 together: expected at most 1"}});
}

TEST_CASE("a wrong distribution is refused where it is wrong", "[cli][bad-input]") {
    const std::string arrivals = "{distribution: exponential, mean: 1m}";
    check_mistakes(
        "run",
        sound_experiment,
        {{"unknown distribution",
          "exponential",
          "exponentail",
          "28:34: error: unknown distribution 'exponentail': expected constant, uniform, "
          "exponential, log-normal, weibull, pareto or empirical (did you mean 'exponential'?)"},
         {"negative mean",
          "mean: 1m",
          "mean: -1m",
          "28:53: error: found '-1m': expected a duration that is not negative, such as 10ms, 10s, "
          "5m, 24h or 7d"},
         {"mean zero",
          "mean: 1m",
          "mean: 0s",
          "28:53: error: found '0s': expected a duration above 0"},
         {"a mean without unit",
          "mean: 1m",
          "mean: 5",
          "28:53: error: found '5': expected a duration with its unit, such as 5s or 5m"},
         {"no variation",
          "variation: 2",
          "variation: 0",
          "29:66: error: found '0': expected a number above 0"},
         {"max below min",
          arrivals,
          "{distribution: uniform, min: 2s, max: 1s}",
          "28:19: error: max below min: expected min <= max"},
         {"negative shape",
          arrivals,
          "{distribution: weibull, shape: -1, scale: 1s}",
          "28:50: error: found '-1': expected a number of at least 0"},
         {"shape zero",
          arrivals,
          "{distribution: pareto, shape: 0, min: 1s}",
          "28:49: error: found '0': expected a number above 0"},
         {"weights that do not match",
          arrivals,
          "{distribution: empirical, values: [1s], weights: [1, 2]}",
          "28:68: error: 2 weights: expected one for each of the 1 values, not all 0"},
         {"no time between arrivals",
          arrivals,
          "{distribution: constant, value: 0s}",
          "28:19: error: found a map: expected times above 0 between arrivals"},
         {"no end",
          "        until: 1h\n",
          "",
          "28:9: error: generate has no end: expected count or until"},
         {"a day that varies by more than all",
          "until: 1h\n",
          "until: 1h\n        diurnal: {amplitude: 2}\n",
          "32:30: error: found '2': expected a number from 0 to 1"},
         {"a day of no length",
          "until: 1h\n",
          "until: 1h\n        diurnal: {amplitude: 1, period: 0s}\n",
          "32:41: error: found '0s': expected a duration above 0"},
         {"bursts without an end",
          "until: 1h\n",
          "until: 1h\n        bursts: {every: 1h, factor: 3}\n",
          "32:17: error: bursts has no 'length': expected one"}});
}

TEST_CASE("a mistake in a service time is reported once", "[cli][bad-input]") {
    const Folder folder;
    folder.write("bad.yaml", replaced(sound_experiment, "variation: 2", "variation: 0"));
    const std::string err = folder.berth({"run", "bad.yaml"}).err;
    CHECK(err.find(": error: ") == err.rfind(": error: "));
}

TEST_CASE("what should be a list or a map and is none is refused", "[cli][bad-input]") {
    check_mistakes("run",
                   sound_experiment,
                   {{"filter",
                     "filter: [resources-fit]",
                     "filter: nonsense",
                     "34:23: error: unknown filter plug-in 'nonsense': expected resources-fit or "
                     "allocation-candidates"},
                    {"claims",
                     "  types:",
                     "  claims: 5\n  types:",
                     "13:11: error: found '5': expected a list of claims"},
                    {"metadata",
                     "{name: tiny}",
                     "5",
                     "3:11: error: found '5': expected a map such as {name: two-teams}"}});
}

TEST_CASE("alternatives are named once each", "[cli][bad-input]") {
    check_mistakes("run",
                   sound_experiment,
                   {{"constraint",
                     "soft: true",
                     "softt: true",
                     "23:49: error: unknown key 'softt' in a constraint: expected level, affinity, "
                     "soft, scope, min, max, partitions or factor (did you mean 'soft'?)"}});
}

namespace {

struct WrongBackground {
    std::string what;
    std::string text;
    std::string message;
};

Answer with_background(const Folder& folder,
                       const std::string& text,
                       const std::string& more = "") {
    folder.write("used.csv", text);
    folder.write("bad.yaml",
                 replaced(sound_experiment,
                          "{load: 0.2, full: 0.1, idle: 0.1, variation: 1}",
                          "{" + more + "file: used.csv}"));
    return folder.berth({"run", "bad.yaml"});
}

}  // namespace

TEST_CASE("a wrong background is refused in its line", "[cli][bad-input]") {
    const std::vector<WrongBackground> rows{
        {"unknown server",
         "server,cpu\nserver-9,1\n",
         "2:1: error: unknown server 'server-9': expected one of the topology"},
        {"a server twice",
         "server,cpu\nserver-0,1\nserver-0,2\n",
         "3:1: error: server 'server-0' a second time: expected it once"},
        {"a field too few",
         "server,cpu\nserver-0\n",
         "2:1: error: 1 fields: expected 2 as in the header"},
        {"a field too many",
         "server,cpu\nserver-0,1,1\n",
         "2:1: error: 3 fields: expected 2 as in the header"},
        {"unknown resource",
         "server,cpuu\nserver-0,1\n",
         "1:1: error: unknown resource 'cpuu': expected cpu or memory (did you mean 'cpu'?)"},
        {"no header", "", "1:1: error: no header: expected server,RESOURCE,..."},
        {"no resource", "server\n", "1:1: error: no header: expected server,RESOURCE,..."}};
    for (const WrongBackground& row : rows) {
        CAPTURE(row.what);
        const Folder folder;
        const Answer answer = with_background(folder, row.text);
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK(answer.first_line() == "used.csv:" + row.message);
        CHECK(folder.listing() == std::vector<std::string>{"bad.yaml", "used.csv"});
    }
}

TEST_CASE("a wrong amount of a background is shown in its cell", "[cli][bad-input]") {
    const Folder folder;
    CHECK(with_background(folder, "server,cpu\nserver-0,-1\n").first_line() ==
          "used.csv:2:10: error: '-1' of cpu: expected no negative amount");
}

TEST_CASE("a background's fields may stand in quotes", "[cli][bad-input]") {
    const Folder folder;
    CHECK(with_background(folder, "\"server\",\"cpu\"\n\"server-0\",\"-1\"\n").first_line() ==
          "used.csv:2:12: error: '-1' of cpu: expected no negative amount");
    CHECK(with_background(folder, "server,cpu\n\"server-0,1\n").first_line() ==
          "used.csv:2:1: error: a quoted field does not end: expected a closing quote");
}

TEST_CASE("a background's resource twice is refused", "[cli][bad-input]") {
    const Folder folder;
    CHECK(with_background(folder, "server,cpu,cpu\nserver-0,1,2\n").status == 2);
}

TEST_CASE("a background above a server's capacity is refused", "[cli][bad-input]") {
    const Folder folder;
    CHECK(with_background(folder, "server,cpu\nserver-0,99\n").status == 2);
}

TEST_CASE("a key beside a background's file is called by its own name", "[cli][bad-input]") {
    const Folder folder;
    CHECK(with_background(folder, "server,cpu\nserver-0,1\n", "lod: 0.5, ").first_line() ==
          "bad.yaml:16:20: error: unknown key 'lod' in background: expected file, name or csv");
}

TEST_CASE("a cluster in which nothing is counted is refused", "[cli][bad-input]") {
    const Folder folder;
    folder.write("bad.yaml", R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: bare}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: bare}]
      machineTypes: {bare: {capacity: {}}}
  types: {nothing: {}}
  workload: [{pods: [{type: nothing, at: 1s}]}]
)");
    const Answer answer = folder.berth({"run", "bad.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "bad.yaml:6:5: error: no resource that a server has or a pod asks for: expected one at "
          "least, such as cpu");
    CHECK(folder.listing() == std::vector<std::string>{"bad.yaml"});
}
