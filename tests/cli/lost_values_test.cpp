// Values that would be lost without a word: beside a file that takes the place of their map, and of
// another kind than the one that is read.

#include <catch2/catch.hpp>
#include <string>

#include "folder.hpp"

using namespace berth::tests;

namespace {

/// A cluster of two racks with two servers each, and these further lines.
std::string experiment(const std::string& lines) {
    return "kind: Experiment\nspec:\n  topology: {spec: {levels: [{name: rack, count: 2}, {name: "
           "server, count: 2}], machines: [{type: m}], machineTypes: {m: {capacity: {cpu: 4}}}}}\n"
           "  types: {t: {cpu: 1}}\n" +
           lines;
}

struct Row {
    std::string lines;
    std::string message;
};

void check_refused(const Row& row) {
    const Folder folder;
    folder.write("e.yaml", experiment(row.lines));
    folder.write("w.yaml",
                 "kind: Workload\nspec: {types: {t: {cpu: 1}}, sources: [{pods: [{type: t}]}]}\n");
    folder.write("odd.yaml", "kind: Workload\nspec: {zzz: 1, sources: [{pods: [{type: t}]}]}\n");
    folder.write("q.yaml", "kind: ElasticQuota\nmetadata: {name: q}\nspec: {min: {cpu: 1}}\n");
    folder.write("use.csv", "server,cpu\n");
    folder.write("t.csv", "name,when,run_time,cpu\na,0,60,1\n");
    folder.write("g.yaml", "kind: GroupPlacement\nspec: {group: {name: g, size: 1, type: t}}\n");
    const Answer answer = folder.berth({"validate", "e.yaml"});
    CAPTURE(row.lines, answer.err);
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err, Catch::Contains("error: " + row.message));
}

}  // namespace

TEST_CASE("lost values: beside a file that takes the place of a map", "[cli][bad-input]") {
    const Row row =
        GENERATE(Row{"  workload: [{file: w.yaml, zzz: 1}]\n",
                     "unknown key 'zzz' in a map that a file replaces: expected file"},
                 Row{"  workload: [{file: w.yaml, pods: [{type: t}]}]\n",
                     "unknown key 'pods' in a map that a file replaces: expected file"},
                 Row{"  workload: [{file: odd.yaml}]\n",
                     "unknown key 'zzz' in a Workload's spec: expected seed, types or sources"},
                 Row{"  quotas: [{file: q.yaml}]\n  quotaChanges: [{at: 1h, update: {file: q.yaml, "
                     "min: 1}}]\n",
                     "unknown key 'min' in a map that a file replaces: expected file"},
                 Row{"  workload: [{background: {file: use.csv, csv: ''}}]\n",
                     "file and csv are both given: expected one of them"},
                 Row{"  workload: [{groups: [{file: g.yaml, document: {}}]}]\n",
                     "file and document are both given: expected one of them"});
    check_refused(row);
}

TEST_CASE("lost values: of another kind than the one that is read", "[cli][bad-input]") {
    const Row row = GENERATE(
        Row{"  workload: [{background: {file: [use.csv]}}]\n",
            "found a list: expected the name of a file"},
        Row{"  failures: {file: {a: 1}}\n", "found a map: expected the name of a file"},
        Row{"  workload: [{trace: {file: [a]}}]\n", "found a list: expected the name of a file"},
        Row{"  devices: [{objects: hello}]\n",
            "found 'hello': expected file: devices.yaml, or objects: a list of Device objects"},
        Row{"  devices: [{objects: [{kind: Banana}]}]\n",
            "found a map: expected an object such as {kind: Device, "},
        Row{"  devices: [{}]\n", "found an empty map: expected file: devices.yaml, or objects: "},
        Row{"  workload: [{running: {document: hello}}]\n",
            "found 'hello': expected an object of kind Pod, PodList or List"},
        Row{"  workload: [{groups: [{document: {kind: Banana, spec: {group: {name: g, size: 1, "
            "type: "
            "t}}}}]}]\n",
            "found 'Banana': expected GroupPlacement"},
        Row{"  workload: [{pods: [{type: t, tolerations: [{operator: {a: 1}, key: a}]}]}]\n",
            "unknown operator a map: expected Equal, Exists, Lt or Gt"},
        Row{"  workload: [{pods: [{type: t, tolerations: [{operator: Exists, value: {a: 1}}]}]}]\n",
            "found a map: expected no value for operator Exists"},
        Row{"  workload: [{pods: [{type: t, tolerations: [{operator: Exists, effect: [a]}]}]}]\n",
            "unknown effect a list: expected NoSchedule, "},
        Row{"  scheduler: {kueue: {objects: [], levels: foo}}\n",
            "found 'foo': expected a map such as {example.com/rack: rack}"},
        Row{"  scheduler: {kueu: q.yaml}\n",
            "unknown key 'kueu' in scheduler: expected period, retry, "},
        Row{"  scheduler: {profile: {reserve: [gpu-sharing]}, typicalPods: {format: openb}}\n",
            "format without file: expected the file of a trace beside it"},
        Row{"  claims: [{nodes: rack, group: g, expected: [[a]]}]\n", "found a list: expected "},
        Row{"  claims: [{nodes: rack, group: g, expected: [rack-9]}]\n",
            "unknown rack 'rack-9': expected one of the cluster's"});
    check_refused(row);
}

TEST_CASE("lost values: a plug-in that is named twice", "[cli][bad-input]") {
    const Row row =
        GENERATE(Row{"  scheduler: {profile: {postFilter: [{name: gang-preemption, reclaim: true}, "
                     "gang-preemption]}}\n",
                     "gang-preemption a second time: expected it once"},
                 Row{"  scheduler: {profile: {reserve: [{name: gpu-sharing, ties: nonsense}, "
                     "gpu-sharing]}}\n",
                     "gpu-sharing a second time: expected it once"});
    check_refused(row);
}

TEST_CASE("lost values: what ended the program, or never ended", "[cli][bad-input]") {
    const std::string queues =
        "  scheduler: {kueue: {objects: [{apiVersion: kueue.x-k8s.io/v1beta2, kind: "
        "ResourceFlavor, metadata: {name: f}}, {apiVersion: kueue.x-k8s.io/v1beta2, kind: "
        "ClusterQueue, metadata: {name: a}, spec: {resourceGroups: [{coveredResources: [cpu], "
        "flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}}, {apiVersion: "
        "kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: a, namespace: default}, spec: "
        "{clusterQueue: a}}], changes: [{at: 30m, objects: [{apiVersion: kueue.x-k8s.io/v1beta2, "
        "kind: LocalQueue, metadata: {name: a, namespace: default}, spec: ";
    const Row row = GENERATE_COPY(
        Row{queues + "{clusterQueue: a}}, {kind: LocalQueue, metadata: {name: a, namespace: "
                     "default}, spec: {clusterQueue: a}}]}]}}\n",
            "LocalQueue a a second time: expected it once in each change"},
        Row{queues + "{clusterQueue: a}}, {apiVersion: foo/v9, kind: LocalQueue, metadata: {name: "
                     "b}, spec: {clusterQueue: a}}]}]}}\n",
            "found 'foo/v9': expected kueue.x-k8s.io/v1beta2, or another version of it"},
        Row{queues + "{clusterQueue: a}}, {kind: List, items: x}]}]}}\n",
            "found 'x': expected a list of objects"},
        Row{queues + "{stopPolicy: Hold}}]}]}}\n",
            "a LocalQueue's spec has no 'clusterQueue': expected one"},
        Row{"  workload: [{generate: {type: t, count: 3, service: 1m, arrivals: {distribution: "
            "constant, value: 1m}, bursts: {every: 1ns, length: 1ns, factor: 2}}}]\n",
            "found a map: expected bursts of which at most 1000 are between two arrivals: "},
        Row{"  seed: 9223372036854775808\n",
            "found '9223372036854775808': expected a whole number from 0 to 9223372036854775807"});
    check_refused(row);
}

TEST_CASE("lost values: a scheduler's key without a value counts as absent", "[cli]") {
    const Folder folder;
    folder.write("e.yaml",
                 experiment("  workload: [{pods: [{type: t, lifetime: 1h}]}]\n"
                            "  scheduler: {kueue: }\n"));
    (void)done(folder, {"validate", "e.yaml"});
}

TEST_CASE("lost values: a node with more GPUs than a node can have", "[cli][bad-input]") {
    const Folder folder;
    folder.write("n.json",
                 R"({"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": )"
                 R"({"cpu": "8", "nvidia.com/gpu": "20000000"}}})");
    const Answer answer = folder.berth({"validate", "n.json"});
    CHECK(answer.status == 2);
    CHECK_THAT(answer.err,
               Catch::Contains("20000000 of nvidia.com/gpu on one node: expected at most 10000"));
}

TEST_CASE("lost values: sources of the workload are found by their kind", "[cli]") {
    const Folder folder;
    folder.write("t.csv", "job,submit_s,duration_s,cpu\na,0,60,1\n");
    folder.write("e.yaml",
                 experiment("  workload:\n"
                            "    - pods: [{type: t, name: p, lifetime: 1h}]\n"
                            "    - {trace: {file: t.csv, format: csv}, rate: 1}\n"));
    for (const std::string path :
         {"spec.workload[pods].pods[p].count=3", "spec.workload[trace].rate=3"}) {
        CAPTURE(path);
        CHECK(folder.berth({"run", "e.yaml", "-q", "-o", "o", "--set", path}).status == 0);
    }
    CHECK_THAT(folder.read("o/experiment.yaml"), Catch::Contains("rate: 3"));
}

TEST_CASE("lost values: no output takes the place of a result", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", experiment("  workload: [{pods: [{type: t, lifetime: 1h}]}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    const std::string jobs = folder.read("o/jobs.csv");
    for (const Arguments& arguments :
         {Arguments{"compare", "o", "o", "-o", "o/jobs.csv"},
          Arguments{"plot", "o", "--figure", "wait-cdf", "-o", "o/jobs.csv"},
          Arguments{"workload", "e.yaml", "--to", "csv", "-o", "o/jobs.csv"},
          Arguments{"topology", "e.yaml", "--to", "json", "-o", "o/summary.json"}}) {
        CAPTURE(arguments);
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK(
            answer.err ==
            arguments.back() +
                ": error: has the name of a result, which would be lost: expected another name\n");
    }
    CHECK(folder.read("o/jobs.csv") == jobs);
    for (const Arguments& arguments : {Arguments{"compare", "o", "o", "-o", ""},
                                       Arguments{"plot", "o", "--figure", "wait-cdf", "-o", ""},
                                       Arguments{"report", "o", "-o", ""},
                                       Arguments{"workload", "e.yaml", "--to", "csv", "-o", ""}}) {
        CAPTURE(arguments);
        CHECK(folder.berth(arguments).err ==
              "'': error: not a file name: expected the name of a file to write\n");
    }
    (void)done(folder, {"workload", "e.yaml", "--to", "csv", "-o", "o/mine.csv"});
}

TEST_CASE("lost values: names of a trace that are not UTF-8 stay apart", "[cli]") {
    const Folder folder;
    folder.write("t.csv", "job,submit_s,duration_s,user,cpu\na1,0,60,R\xe9,1\na2,5,600,R\xe8,1\n");
    folder.write("e.yaml", experiment("  workload: [{trace: {file: t.csv, format: csv}}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    CHECK_THAT(folder.read("o/jobs.csv"), Catch::Contains("0,a1,R\\xe9,"));
    CHECK_THAT(folder.read("o/summary.json"),
               Catch::Contains(R"("job_wait_s_mean[R\\xe8]")") &&
                   Catch::Contains(R"("job_wait_s_mean[R\\xe9]")"));
}

TEST_CASE("lost values: a job that is stopped at its limit need not recover", "[cli]") {
    const Folder folder;
    folder.write("e.yaml",
                 experiment("  workload: [{pods: [{type: t, lifetime: 2h, estimate: 10m, "
                            "checkpoint: {every: 1h, restart: 10m}}]}]\n"
                            "  scheduler: {atLimit: stop}\n"
                            "  failures: {random: [{name: s, level: server, between: "
                            "{distribution: empirical, values: [5m, 30d], weights: [1, 1]}, "
                            "repair: 1m}]}\n"));
    for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
        CAPTURE(seed);
        CHECK(folder.berth({"run", "e.yaml", "-q", "-o", "o", "--seed", seed}).status == 0);
    }
}

TEST_CASE("lost values: a valid name of a trace stays as it is", "[cli]") {
    const Folder folder;
    const std::string long_name = std::string(40, 'n') + "\xc3\xa9";  // beyond a word, and a block
    folder.write("t.csv", "job,submit_s,duration_s,user,cpu\na1,0,60," + long_name + ",1\n");
    folder.write("e.yaml", experiment("  workload: [{trace: {file: t.csv, format: csv}}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    CHECK_THAT(folder.read("o/jobs.csv"), Catch::Contains("0,a1," + long_name + ","));
}

TEST_CASE("lost values: the manifest of something else protects no names", "[cli][files]") {
    const Folder folder;
    folder.write("e.yaml", experiment("  workload: [{pods: [{type: t, lifetime: 1h}]}]\n"));
    for (const std::string manifest :
         {"{\"name\": \"An application\", \"icons\": []}", "[1, 2]", "no JSON"}) {
        CAPTURE(manifest);
        folder.write("manifest.json", manifest);
        (void)done(folder, {"workload", "e.yaml", "--to", "csv", "-o", "jobs.csv"});
        CHECK(folder.read("manifest.json") == manifest);
    }
}

TEST_CASE("lost values: bursts among arrivals without a mean are taken", "[cli]") {
    const Folder folder;
    folder.write("e.yaml",
                 experiment("  until: 1h\n"
                            "  workload: [{generate: {type: t, count: 3, service: {distribution: "
                            "constant, value: 1m}, arrivals: "
                            "{distribution: pareto, min: 1s, shape: 0.9}, bursts: {every: 1m, "
                            "length: 1m, factor: 2}}}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
}

TEST_CASE("lost values: a column for a field that no job has is named where it is written",
          "[cli][bad-input]") {
    check_refused(
        {"  workload:\n    - {trace: {file: t.csv, format: csv, columns: {submitt: when}}}\n",
         "unknown field 'submitt': expected name"});
}

TEST_CASE("lost values: a null of a pod counts as absent", "[cli]") {
    const Folder folder;
    folder.write("pods.yaml",
                 "{kind: Pod, metadata: {name: p, labels: null, ownerReferences: null}, spec: "
                 "{priority: null, activeDeadlineSeconds: null, nodeSelector: null, tolerations: "
                 "null, schedulingGates: null, containers: [{name: c, resources: {requests: {cpu: "
                 "1}, limits: null}}]}, status: {phase: Pending, conditions: null}}\n");
    folder.write("e.yaml",
                 experiment("  workload: [{running: {file: pods.yaml, pending: true}}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    CHECK_THAT(folder.read("o/jobs.csv"), Catch::Contains("0,p,"));
}

TEST_CASE("lost values: lines without a kind behind a document", "[cli][bad-input]") {
    const Folder folder;
    const std::string whole = experiment("  workload: [{pods: [{type: t, lifetime: 1h}]}]\n");
    folder.write("e.yaml", whole + "---\n  until: 1h\n");
    for (const Arguments& arguments :
         {Arguments{"run", "e.yaml", "-o", "o"}, Arguments{"validate", "e.yaml"}}) {
        const Answer answer = folder.berth(arguments);
        CAPTURE(arguments, answer.err);
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err, Catch::Contains("error: a document without a kind: expected "));
    }
    folder.write("e.yaml", whole + "---\n");
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    folder.write(
        "e.yaml",
        whole +
            "---\nkind: Workload\nspec: {types: {t: {cpu: 1}}, sources: [{pods: [{name: z, "
            "type: t}]}]}\n");
    (void)done(folder, {"validate", "e.yaml"});
    folder.write("t.yaml",
                 whole +
                     "---\nkind: Topology\nspec: {levels: [{name: server, count: 1}], machines: "
                     "[{type: m}], machineTypes: {m: {capacity: {cpu: 1}}}}\n");
    CHECK_THAT(folder.berth({"topology", "t.yaml"}).err,
               Catch::Contains("both Experiment and Topology in one file: expected one of them"));
}

TEST_CASE("lost values: a level that takes the name of a column or a metric", "[cli][bad-input]") {
    const Folder folder;
    for (const std::string level : {"node", "wait_s", "queue_length"}) {
        folder.write("e.yaml",
                     "kind: Experiment\nmetadata: {name: e}\nspec:\n  topology: {spec: {levels: "
                     "[{name: " +
                         level +
                         ", count: 2}, {name: host, count: 2}], machines: [{type: m}], "
                         "machineTypes: {m: {capacity: {cpu: 8}}}}}\n  types: {t: {cpu: 1}}\n  "
                         "workload: [{pods: [{type: t, lifetime: 1h}]}]\n");
        CHECK_THAT(folder.berth({"validate", "e.yaml"}).err,
                   Catch::Contains("error: the level '" + level +
                                   "' would give a column or a metric a name that another has"));
    }
}

TEST_CASE("lost values: a value of --set that YAML reads as another", "[cli][bad-input]") {
    const Folder folder;
    folder.write("e.yaml", experiment("  workload: [{pods: [{type: t, lifetime: 1h}]}]\n"));
    const std::string path = "spec.workload[0].pods[0].user=";
    for (const std::string value : {"%x", "#x", "x #y", "!x y", "a\n---\nb", "..."}) {
        const Answer answer = folder.berth({"run", "e.yaml", "-o", "o", "--set", path + value});
        CAPTURE(value, answer.err);
        CHECK(answer.status == 2);
        CHECK_THAT(answer.err, Catch::Contains("as another value: expected it in quotes"));
    }
    for (const std::string value : {"ann", "\"%x\"", "'#x'", "a-b", "~"}) {
        CAPTURE(value);
        CHECK(folder.berth({"run", "e.yaml", "-q", "-o", "o", "--set", path + value}).status == 0);
    }
}

TEST_CASE("lost values: what a list of jobs leaves out is said, and its GPUs are read", "[cli]") {
    const Folder folder;
    folder.write("w.yaml",
                 "kind: Workload\nspec: {types: {t: {cpu: 1, nvidia.com/gpu: 4}}, sources: [{pods: "
                 "[{name: p, type: t, lifetime: 1h, estimate: 2h, user: ann}]}]}\n");
    const Answer written = folder.berth({"workload", "w.yaml", "--to", "csv", "-o", "l.csv"});
    CHECK(written.status == 0);
    CHECK(written.err ==
          "w.yaml: warning: 1 job with a user, which the list leaves out\n"
          "w.yaml: warning: 1 job with an estimate, which the list leaves out\n");
    const Answer read = folder.berth({"workload", "l.csv", "--from", "csv"});
    INFO(read.out << read.err);
    CHECK_THAT(read.err, Catch::Contains("the column 'nvidia.com/gpu' is read as gpus"));
    CHECK_THAT(read.out, Catch::Contains("nvidia.com/gpu") && Catch::Contains("4"));
}

TEST_CASE("lost values: a figure of a sweep is none of a run", "[cli][bad-input]") {
    const Folder folder;
    folder.write("e.yaml", experiment("  workload: [{pods: [{type: t, lifetime: 1h}]}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    CHECK_THAT(folder.berth({"plot", "o", "--figure", "heat-map", "-o", "x.svg"}).err,
               Catch::StartsWith("--figure: error: 'heat-map' is a figure of a sweep, and this is "
                                 "a run: expected "));
}

TEST_CASE("lost values: jobs of two sources that have one name have names of their own", "[cli]") {
    const Folder folder;
    const std::string source = "generate: {name: a, type: t, arrivals: 1m, service: 1m, count: 2}";
    folder.write("e.yaml", experiment("  workload: [{" + source + "}, {" + source + "}]\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "o"});
    const std::string jobs = folder.read("o/jobs.csv");
    for (const std::string name : {",a-0,", ",a-1,", ",a-1-0,", ",a-1-1,"}) {
        CAPTURE(name, jobs);
        CHECK(jobs.find(name) != std::string::npos);
    }
}
