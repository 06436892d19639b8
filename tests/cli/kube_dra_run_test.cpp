// Runs in which pods claim devices, which kube-scheduler allocates by its plugin DynamicResources.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kube_runs.hpp"

using namespace berth::tests;

namespace {

constexpr const char* group = "apiVersion: resource.k8s.io/v1";
constexpr const char* gpu_class =
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: "
    "[{cel: {expression: 'device.driver == \"gpu.x.com\"'}}]}}";

/// The slice of a node with so many GPUs, of which each has these attributes.
std::string slice(const std::string& node, int gpus, const std::string& attributes = "{}") {
    std::string devices;
    for (int i = 0; i < gpus; ++i) {
        devices += std::string(i == 0 ? "" : ", ") + "{name: gpu-" + std::to_string(i) +
                   ", attributes: " + attributes + "}";
    }
    return std::string("{") + group + ", kind: ResourceSlice, metadata: {name: " + node +
           "}, spec: {driver: gpu.x.com, nodeName: " + node + ", pool: {name: " + node +
           ", generation: 1, resourceSliceCount: 1}, devices: [" + devices + "]}}";
}

/// A request for so many GPUs.
std::string gpus(int count, const std::string& more = "") {
    return "[{name: r, exactly: {deviceClassName: gpu, count: " + std::to_string(count) + more +
           "}}]";
}

/// A ResourceClaimTemplate, or a ResourceClaim.
std::string claim_template(const std::string& name, const std::string& requests) {
    return std::string("{") + group + ", kind: ResourceClaimTemplate, metadata: {name: " + name +
           "}, spec: {spec: {devices: {requests: " + requests + "}}}}";
}
std::string claim(const std::string& name,
                  const std::string& requests,
                  const std::string& status = "") {
    return std::string("{") + group + ", kind: ResourceClaim, metadata: {name: " + name +
           "}, spec: {devices: {requests: " + requests + "}}" + status + "}";
}

/// What a pod says to get a claim of a template, or one that is there.
std::string of(const std::string& name) {
    return "resourceClaims: [{name: c, resourceClaimTemplateName: " + name + "}]";
}
std::string uses(const std::string& name) {
    return "resourceClaims: [{name: c, resourceClaimName: " + name + "}]";
}

/// Servers server-0, server-1, ... with 8 CPUs each. Pods of the type `one` ask for one.
std::string experiment(const std::vector<std::string>& objects,
                       const std::string& pods,
                       const std::string& kube = "",
                       int servers = 2) {
    std::string list = gpu_class;
    for (const std::string& object : objects) {
        list += ",\n      " + object;
    }
    return "kind: Experiment\nmetadata: {name: dra}\nspec:\n  topology: {spec: {levels: [{name: "
           "server, count: " +
           std::to_string(servers) +
           "}], machines: [{type: m}], machineTypes: {m: {capacity: {cpu: 8}}}}}\n"
           "  types: {one: {cpu: 1}, all: {cpu: 8}}\n  workload: [" +
           pods + "]\n  scheduler: {kube: {" + kube + "objects: [" + list + "]}}\n  until: 1h\n";
}

/// The pods that started: the node of each, and when it started.
std::map<std::string, std::string> starts(const Folder& folder) {
    std::map<std::string, std::string> found;
    for (const CsvRow& pod : pods_of(folder)) {
        if (!pod.at("start_s").empty()) {
            found.emplace(pod.at("pod"), pod.at("node") + " " + pod.at("start_s"));
        }
    }
    return found;
}

std::string reason_of(const Folder& folder, const std::string& name) {
    for (const CsvRow& pod : pods_of(folder)) {
        if (pod.at("pod") == name) {
            return pod.at("reason");
        }
    }
    return "no such pod";
}

}  // namespace

TEST_CASE("kube devices: each pod has a device of its own until it ends", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment({slice("server-0", 1), slice("server-1", 1), claim_template("one", gpus(1))},
                   "{pods: [{name: a, type: one, lifetime: 5m, " + of("one") +
                       "}, {name: b, type: one, lifetime: 2m, " + of("one") +
                       "}, {name: c, type: one, lifetime: 2m, " + of("one") +
                       "}, {name: d, type: one}]}"));

    CHECK(starts(folder) == std::map<std::string, std::string>{{"a", "server-0 0"},
                                                               {"b", "server-1 0"},
                                                               {"c", "server-1 120"},
                                                               {"d", "server-0 0"}});
    CHECK(folder.read("out/run/claimed_devices.csv") ==
          "replication,time_s,job,node,pod,claim,driver,pool,device,access\n"
          "0,0,a,server-0,a,default/a-c,gpu.x.com,server-0,gpu-0,exclusive\n"
          "0,0,b,server-1,b,default/b-c,gpu.x.com,server-1,gpu-0,exclusive\n"
          "0,120,c,server-1,c,default/c-c,gpu.x.com,server-1,gpu-0,exclusive\n");
}

TEST_CASE("kube devices: pods that are alike get as many devices as there are", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment({slice("server-0", 3), slice("server-1", 2), claim_template("one", gpus(1))},
                   "{pods: [{name: a, type: one, count: 8, " + of("one") + "}]}"));

    std::map<std::string, int> running;
    for (const CsvRow& pod : pods_of(folder)) {
        ++running[pod.at("node")];
    }
    CHECK(running == std::map<std::string, int>{{"", 3}, {"server-0", 3}, {"server-1", 2}});
}

TEST_CASE("kube devices: nobody is preempted for a device", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment({slice("server-0", 1), claim_template("one", gpus(1))},
                   "{pods: [{name: a, type: one, " + of("one") +
                       "}, {name: b, type: one, priority: 9, at: 1m, " + of("one") + "}]}"));

    CHECK(starts(folder).contains("a"));
    CHECK(reason_of(folder, "b") ==
          "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, "
          "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_CASE("kube devices: pods are preempted for CPUs of a node with devices", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(folder,
                    experiment({slice("server-0", 1), claim_template("one", gpus(1))},
                               "{pods: [{name: a, type: all}, {name: b, type: one, priority: 9, "
                               "at: 1m, " +
                                   of("one") + "}]}"));

    CHECK(starts(folder) ==
          std::map<std::string, std::string>{{"a", "server-1 60"}, {"b", "server-0 60"}});
}

TEST_CASE("kube devices: pods share a claim where its device is", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(folder,
                    experiment({slice("server-0", 1),
                                slice("server-1", 1),
                                claim("both", gpus(1)),
                                claim_template("one", gpus(1))},
                               "{pods: [{name: a, type: one, lifetime: 1m, " + uses("both") +
                                   "}, {name: b, type: one, lifetime: 3m, " + uses("both") +
                                   "}, {name: c, type: one, " + of("one") +
                                   "}, {name: d, type: one, " + of("one") + "}]}"));

    // c has the other device, and d the first one once the last pod that shares it has ended.
    CHECK(starts(folder) == std::map<std::string, std::string>{{"a", "server-0 0"},
                                                               {"b", "server-0 0"},
                                                               {"c", "server-1 0"},
                                                               {"d", "server-0 180"}});
    std::string claims;
    for (const CsvRow& row : csv_rows(folder.read("out/run/claimed_devices.csv"))) {
        claims += row.at("pod") + " " + row.at("claim") + " " + row.at("pool") + ", ";
    }
    CHECK(claims ==
          "a default/both server-0, b default/both server-0, c default/c-c server-1, d "
          "default/d-c server-0, ");
}

TEST_CASE("kube devices: pods are held by what is not there", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment({slice("server-0", 1),
                    claim_template(
                        "other", "[{name: r, firstAvailable: [{name: s, deviceClassName: tpu}]}]")},
                   "{pods: [{name: a, type: one, " + of("none") + "}, {name: b, type: one, " +
                       uses("none") + "}, {name: c, type: one, " + of("other") + "}]}"));

    CHECK(starts(folder).empty());
    CHECK(reason_of(folder, "a") == "pod default/a: ResourceClaim not created yet");
    CHECK(reason_of(folder, "b") == "could not find resource claim default/none");
    CHECK(reason_of(folder, "c")
              .starts_with("0/2 nodes are available: request r/s: device class tpu does not exist. "
                           "no new claims to "
                           "deallocate, preemption: "));
}

TEST_CASE("kube devices: the node with the alternative that comes first is better", "[cli][kube]") {
    const Folder folder;
    const std::string model = R"({gpu.x.com/model: {string: )";
    const std::string has =
        "selectors: [{cel: {expression: 'device.attributes[\"gpu.x.com\"].model "
        "== \"";
    (void)run_sound(
        folder,
        experiment({slice("server-0", 1, model + "a}}"),
                    slice("server-1", 1, model + "b}}"),
                    claim_template("best",
                                   "[{name: r, firstAvailable: [{name: s, deviceClassName: gpu, " +
                                       has + "b\"'}}]}, {name: t, deviceClassName: gpu, " + has +
                                       "a\"'}}]}]}]")},
                   "{pods: [{name: a, type: one, " + of("best") + "}, {name: b, type: one, " +
                       of("best") + "}]}"));

    CHECK(starts(folder) ==
          std::map<std::string, std::string>{{"a", "server-1 0"}, {"b", "server-0 0"}});
}

TEST_CASE("kube devices: a claim that nobody uses loses the device of a full node", "[cli][kube]") {
    const std::string held =
        ", status: {allocation: {devices: {results: [{request: r, driver: gpu.x.com, pool: "
        "server-0, device: gpu-0}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: "
        "metadata.name, operator: In, values: [server-0]}]}]}}";
    const auto [others, expected] = GENERATE(table<std::string, std::string>({
        {"}", "server-1 0"},
        {", reservedFor: [{resource: pods, name: other, uid: u}]}", "never"},
    }));
    const Folder folder;
    (void)run_sound(
        folder,
        experiment({slice("server-0", 1), slice("server-1", 1), claim("c", gpus(1), held + others)},
                   "{pods: [{name: full, type: all, nodeSelector: "
                   "{kubernetes.io/hostname: server-0}}, {name: a, type: one, " +
                       uses("c") + "}]}"));

    const auto found = starts(folder);
    CHECK((found.contains("a") ? found.at("a").substr(0, 10) : "never") == expected);
}

TEST_CASE("kube devices: pods of a gang do not share a claim that is being allocated",
          "[cli][kube]") {
    const Folder folder;
    (void)run_sound(
        folder,
        experiment({slice("server-0", 2), claim("both", gpus(1)), claim_template("one", gpus(1))},
                   "{groups: [{document: {kind: GroupPlacement, metadata: {name: g}, "
                   "spec: {group: {size: 2, type: one}}}, " +
                       of("one") +
                       "}, {document: {kind: GroupPlacement, metadata: {name: h}, "
                       "spec: {group: {size: 2, type: one}}}, " +
                       uses("both") + "}]}",
                   "gangs: {}, "));

    std::map<std::string, int> running;
    for (const CsvRow& pod : pods_of(folder)) {
        running[pod.at("group")] += pod.at("start_s").empty() ? 0 : 1;
    }
    CHECK(running == std::map<std::string, int>{{"g", 2}, {"h", 0}});
}

TEST_CASE("kube devices: why tells how many devices a node has", "[cli][kube]") {
    const Folder folder;
    (void)run_sound(folder,
                    experiment({slice("server-0", 2), claim_template("four", gpus(4))},
                               "{pods: [{name: a, type: one, " + of("four") + "}]}"));

    const Answer why = folder.berth({"why", "out/run", "a"});

    CHECK(why.out.find("failed attempt stopped at filter DynamicResources") != std::string::npos);
    CHECK(why.out.find("ask for 2 devices, not 4, in request r of the claim c") !=
          std::string::npos);
}

TEST_CASE("kube devices: a selector that fails lets the cycle fail", "[cli][kube]") {
    const Folder folder;
    const std::string wrong =
        gpus(1, ", selectors: [{cel: {expression: 'device.attributes[\"x\"].y == 1'}}]");
    (void)run_sound(folder,
                    experiment({slice("server-0", 1), claim_template("one", wrong)},
                               "{pods: [{name: a, type: one, " + of("one") + "}]}"));

    CHECK(reason_of(folder, "a") ==
          "running DynamicResources filter plugin: claim default/a-c: selector #0: CEL runtime "
          "error: no such key: y");
    CHECK(folder.berth({"why", "out/run", "a"}).status == 0);
}

TEST_CASE("kube devices: pods of a deployment claim devices", "[cli][kube]") {
    const Folder folder;
    folder.write("deployment.yaml",
                 "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: "
                 "3\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: "
                 "{app: web}}\n    spec:\n      resourceClaims: [{name: gpu, "
                 "resourceClaimTemplateName: one}]\n      containers: [{name: c, resources: "
                 "{requests: {cpu: '1'}, claims: [{name: gpu}]}}]\n");
    const std::string warnings = run_sound(
        folder,
        experiment({slice("server-0", 1), slice("server-1", 1), claim_template("one", gpus(1))},
                   "{pods: [{file: deployment.yaml}]}"));

    CHECK(warnings.find("resourceClaims") == std::string::npos);
    CHECK(starts(folder).size() == 2);
}

TEST_CASE("kube devices: containers use claims of their pod", "[cli][kube]") {
    const Folder folder;
    folder.write("run.yaml",
                 experiment({slice("server-0", 1)},
                            "{pods: [{document: {apiVersion: apps/v1, kind: ReplicaSet, metadata: "
                            "{name: w}, spec: {selector: {matchLabels: {a: b}}, template: "
                            "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, resources: "
                            "{requests: {cpu: 1}, claims: [{name: gpu}]}}]}}}}}]}"));

    const Answer answer = folder.berth({"validate", "run.yaml"});

    CHECK(answer.status == 2);
    CHECK(answer.err.find("expected the name of one of the pod's resourceClaims") !=
          std::string::npos);
}

TEST_CASE("kube devices: wrong objects are refused", "[cli][kube]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [object, pod, expected] = GENERATE(table<std::string, std::string, std::string>({
        Row{claim_template("t", "[{name: r, exactly: {count: 1}}]"), "", "deviceClassName"},
        Row{claim_template("t", "[{name: r}]"), "", "exactly, or firstAvailable"},
        Row{claim_template("t", gpus(0)), "", "expected a whole number from 1"},
        Row{claim_template("t", gpus(1, ", counts: 2")), "", "unknown key 'counts'"},
        Row{claim_template("t", gpus(1, ", selectors: [{cel: {expression: 'device.'}}]")),
            "",
            "a selector that is no expression in CEL"},
        Row{"{apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, metadata: {name: c}, spec: "
            "{}}",
            "",
            "expected resource.k8s.io/v1"},
        Row{slice("server-0", 1) + ", " + slice("server-0", 1), "", "a name that no other"},
        Row{claim_template("t", gpus(1)),
            "resourceClaims: [{name: c}]",
            "resourceClaimName, or resourceClaimTemplateName"},
        Row{claim_template("t", gpus(1)),
            "resourceClaims: [{name: c, claim: t}]",
            "unknown key 'claim' in an entry of resourceClaims"},
    }));
    const Folder folder;
    folder.write("run.yaml", experiment({object}, "{pods: [{name: a, type: one, " + pod + "}]}"));

    const Answer answer = folder.berth({"validate", "run.yaml"});

    CAPTURE(answer.err);
    CHECK(answer.status == 2);
    CHECK(answer.err.find(expected) != std::string::npos);
}

TEST_CASE("kube devices: pools without usable devices are said", "[cli][kube]") {
    const Folder folder;
    const std::string twice =
        std::string("{") + group +
        ", kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.x.com, nodeName: server-0, "
        "pool: {name: p, resourceSliceCount: 1}, devices: [{name: d}, {name: d}]}}";
    const std::string half =
        std::string("{") + group +
        ", kind: ResourceSlice, metadata: {name: h}, spec: {driver: gpu.x.com, nodeName: server-1, "
        "pool: {name: q, resourceSliceCount: 2}, devices: [{name: d}]}}";

    const std::string warnings =
        run_sound(folder, experiment({twice, half}, "{pods: [{name: a, type: one}]}"));

    CHECK(warnings.find("the pool p of gpu.x.com names the device d twice") != std::string::npos);
    CHECK(warnings.find("the pool q of gpu.x.com has 1 of 2 ResourceSlices") != std::string::npos);
}

TEST_CASE("kube devices: what is not looked at is said", "[cli][kube]") {
    const Folder folder;
    const std::string extended =
        std::string("{") + group +
        ", kind: DeviceClass, metadata: {name: e}, spec: {extendedResourceName: example.com/gpu}}";
    const std::string bound =
        std::string("{") + group +
        ", kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.x.com, nodeName: server-0, "
        "pool: {name: p, resourceSliceCount: 1}, devices: [{name: d, bindingConditions: "
        "[ready]}]}}";

    const std::string warnings =
        run_sound(folder, experiment({extended, bound}, "{pods: [{name: a, type: one}]}"));

    CHECK(warnings.find("1 DeviceClass(es) with extendedResourceName, which is not looked at") !=
          std::string::npos);
    CHECK(warnings.find("1 device(s) with bindingConditions: pods start at once") !=
          std::string::npos);
}

TEST_CASE("kube devices: requests of single cycles without devices refuse claims",
          "[cli][kube][bad-input]") {
    const Folder folder;
    const std::string pod =
        R"({"metadata": {"name": "a"}, "spec": {"resourceClaims": [{"name": "c"}]}})";
    const std::string requests = R"({"kind": "schedule", "nodes": [], "pod": )" + pod + "}\n" +
                                 R"({"kind": "sequence", "nodes": [], "pending": [)" + pod + "]}\n";

    const Answer answer = folder.berth({"kube", "--jsonl"}, {.input = requests});

    CAPTURE(answer.out, answer.err);
    CHECK(answer.out.find("pod.spec.resourceClaims") != std::string::npos);
    CHECK(answer.out.find("pending[0].spec.resourceClaims") != std::string::npos);
    CHECK(answer.out.find("expected a pod without claims, or classes, slices and resourceClaims") !=
          std::string::npos);
}

TEST_CASE("kube devices: requests of single cycles give out devices", "[cli][kube]") {
    const std::string objects =
        R"("nodes": [{"metadata": {"name": "n"}, "status": {"allocatable": {"pods": 9}}}, )"
        R"({"metadata": {"name": "m"}, "status": {"allocatable": {"pods": 9}}}], )"
        R"("classes": [{"metadata": {"name": "gpu"}, "spec": {}}], "slices": [{"metadata": {"name": "s"}, "spec": )"
        R"({"driver": "x", "nodeName": "m", "pool": {"name": "m", "generation": 1, )"
        R"("resourceSliceCount": 1}, "devices": [{"name": "g0"}, {"name": "g1"}]}}], )"
        R"("resourceClaimTemplates": [{"metadata": {"name": "t"}, "spec": {"spec": {"devices": )"
        R"({"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}}}], )"
        R"("resourceClaims": [{"metadata": {"name": "c"}, "spec": {"devices": {"requests": )"
        R"([{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}, "status": {"allocation": )"
        R"({"nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", )"
        R"("operator": "In", "values": ["m"]}]}]}, "devices": {"results": [{"request": "r", )"
        R"("driver": "x", "pool": "m", "device": "g0"}]}}}}])";
    const auto pod = [](const std::string& name, const std::string& claim) {
        return R"({"metadata": {"name": ")" + name +
               R"("}, "spec": {"containers": [], "resourceClaims": [{"name": "d", )" + claim +
               "}]}}";
    };
    const std::string made = R"("resourceClaimTemplateName": "t")";
    const std::string requests =
        R"({"kind": "schedule", "pod": )" + pod("a", made) + ", " + objects + "}\n" +
        R"({"kind": "schedule", "pod": )" + pod("a", R"("resourceClaimName": "none")") + ", " +
        objects + "}\n" + R"({"kind": "sequence", "pending": [)" + pod("a", made) + ", " +
        pod("b", made) + ", " + pod("c", R"("resourceClaimName": "c")") + "], " + objects + "}\n";
    const Folder folder;

    const Answer answer = folder.berth({"kube", "--jsonl"}, {.input = requests});

    CAPTURE(answer.out, answer.err);
    // g0 is held by the claim c, so that a gets g1 and b nothing.
    const std::string of_a = R"({"d":[{"driver":"x","pool":"m","device":"g1"}]})";
    CHECK(answer.out.find(R"("n":{"code":"UnschedulableAndUnresolvable","plugin":)"
                          R"("DynamicResources")") != std::string::npos);
    CHECK(answer.out.find(R"("chosen":"m")") != std::string::npos);
    CHECK(answer.out.find(R"("devices":)" + of_a) != std::string::npos);
    CHECK(answer.out.find(R"(could not find resource claim \"default/none\")") !=
          std::string::npos);
    CHECK(answer.out.find(R"("hosts":["m",null,"m"])") != std::string::npos);
    CHECK(answer.out.find(R"("devices":[)" + of_a +
                          R"(,null,{"d":[{"driver":"x","pool":"m","device":"g0"}]}])") !=
          std::string::npos);
}
