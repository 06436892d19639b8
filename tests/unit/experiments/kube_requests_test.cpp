#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schedulers/kube/requests/kube.hpp"

using berth::experiments::answer_kube_request;
using berth::experiments::Json;

namespace {

Json answer_to(const Json& request) {
    return Json::parse(answer_kube_request(request.dump()));
}

Json node(const std::string& name, const Json& amounts, const Json& more = Json::object()) {
    Json made{{"metadata", {{"name", name}}}, {"status", {{"allocatable", {{"pods", "110"}}}}}};
    made["status"]["allocatable"].update(amounts);
    made.merge_patch(more);
    return made;
}

Json pod(const std::string& name, const Json& requests, const Json& more = Json::object()) {
    Json made{{"metadata", {{"name", name}, {"namespace", "lab"}}},
              {"spec", {{"containers", {{{"resources", {{"requests", requests}}}}}}}}};
    made.merge_patch(more);
    return made;
}

Json running(const std::string& name,
             const std::string& on,
             const Json& requests,
             int priority = 0) {
    return pod(name, requests, {{"spec", {{"nodeName", on}, {"priority", priority}}}});
}

Json cycle(const Json& one, const std::vector<Json>& nodes, const std::vector<Json>& pods = {}) {
    return answer_to({{"kind", "schedule"}, {"pod", one}, {"nodes", nodes}, {"pods", pods}});
}

std::string error_of(const Json& request) {
    return answer_to(request).value("error", "");
}

/// The answer for one claim that asks for `count` devices with a selector, of three GPUs.
Json devices(int count, const std::string& selector, const Json& more = Json::object()) {
    std::vector<Json> gpus;
    for (const char* name : {"a", "b", "c"}) {
        const bool is_new = std::string(name) != "a";
        gpus.push_back({{"name", name},
                        {"attributes",
                         {{"model", {{"string", is_new ? "new" : "old"}}},
                          {"firmware", {{"version", is_new ? "2.10.0" : "2.9.0"}}}}},
                        {"capacity", {{"memory", {{"value", is_new ? "80Gi" : "40Gi"}}}}}});
    }
    const Json pool{{"name", "p"}, {"generation", 1}, {"resourceSliceCount", 1}};
    const Json slice{
        {"metadata", {{"name", "s"}}},
        {"spec", {{"driver", "gpu.io"}, {"pool", pool}, {"nodeName", "n"}, {"devices", gpus}}}};
    const Json asked{{"deviceClassName", "gpu"},
                     {"count", count},
                     {"selectors", {{{"cel", {{"expression", selector}}}}}}};
    const Json claim{
        {"metadata", {{"name", "c"}}},
        {"spec", {{"devices", {{"requests", {{{"name", "r"}, {"exactly", asked}}}}}}}}};
    Json request{{"kind", "dra"},
                 {"node", {{"metadata", {{"name", "n"}}}}},
                 {"classes", {{{"metadata", {{"name", "gpu"}}}, {"spec", Json::object()}}}},
                 {"slices", {slice}},
                 {"claims", {claim}}};
    request.update(more);
    return answer_to(request);
}

/// The names of the devices in an answer.
std::string names_in(const Json& answer) {
    std::string names;
    if (answer.contains("results") && !answer["results"].is_null()) {
        for (const Json& result : answer["results"][0]["devices"]["results"]) {
            names += result["device"].get<std::string>();
        }
    }
    return names;
}

}  // namespace

TEST_CASE("kube requests: each node has the reason of the first filter that rejects it") {
    const Json gpu{{"nvidia.com/gpu", "1"}};
    const Json answer = cycle(
        pod("p", gpu, {{"spec", {{"nodeSelector", {{"zone", "a"}}}}}}),
        {node("cordoned", gpu, {{"spec", {{"unschedulable", true}}}}),
         node("tainted", gpu, {{"spec", {{"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}}}}),
         node("elsewhere", gpu, {{"metadata", {{"labels", {{"zone", "b"}}}}}}),
         node("small", Json::object(), {{"metadata", {{"labels", {{"zone", "a"}}}}}}),
         node("full", gpu, {{"metadata", {{"labels", {{"zone", "a"}}}}}})},
        {running("r", "full", gpu)});
    const auto plugin = [&](const char* name) {
        return answer["nodes"][name]["plugin"].get<std::string>();
    };
    CHECK(plugin("cordoned") == "NodeUnschedulable");
    CHECK(plugin("tainted") == "TaintToleration");
    CHECK(plugin("elsewhere") == "NodeAffinity");
    CHECK(plugin("small") == "NodeResourcesFit");
    CHECK(answer["nodes"]["small"]["code"] == "UnschedulableAndUnresolvable");
    CHECK(answer["nodes"]["full"]["code"] == "Unschedulable");
    CHECK(answer["fitError"] ==
          "0/5 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) "
          "had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu.");
}

TEST_CASE("kube requests: of equal nodes, the root of the heap is chosen and not the first") {
    // Totals of 1, 1, 5 and 5 by a preferred label: the heap brings the fourth to the root.
    const Json amounts{{"cpu", "4"}, {"memory", "8Gi"}};
    const auto labelled = [&](const char* name, const char* value) {
        return node(name, amounts, {{"metadata", {{"labels", {{"disk", value}}}}}});
    };
    const Json preference{
        {"matchExpressions", {{{"key", "disk"}, {"operator", "In"}, {"values", {"ssd"}}}}}};
    const Json affinity{{"nodeAffinity",
                         {{"preferredDuringSchedulingIgnoredDuringExecution",
                           {{{"weight", 5}, {"preference", preference}}}}}}};
    const Json answer = cycle(
        pod("p", {{"cpu", "1"}}, {{"spec", {{"affinity", affinity}}}}),
        {labelled("a", "hdd"), labelled("b", "hdd"), labelled("c", "ssd"), labelled("d", "ssd")});
    CHECK(answer["best"] == Json{"c", "d"});
    CHECK(answer["chosen"] == "d");
    CHECK(answer["scores"]["NodeAffinity"]["a"] == 0);
    CHECK(answer["scores"]["NodeAffinity"]["d"] == 100);
}

TEST_CASE("kube requests: the victims of least priority are taken, within disruption budgets") {
    const Json gpu{{"nvidia.com/gpu", "1"}};
    const Json wanted = pod("p", gpu, {{"spec", {{"priority", 100}}}});
    const std::vector<Json> nodes{node("a", gpu), node("b", gpu), node("c", Json::object())};
    const std::vector<Json> pods{running("high", "a", gpu, 50), running("low", "b", gpu, 10)};
    const Json answer = cycle(wanted, nodes, pods);
    CHECK(answer["preemption"]["nodes"] == Json{"b"});
    CHECK(answer["preemption"]["victims"]["b"] == Json{"low"});
    CHECK(answer["preemption"]["candidates"].size() == 2);

    Json guarded{{"kind", "preempt"}, {"pod", wanted}, {"nodes", nodes}, {"pods", pods}};
    guarded["pods"][1]["metadata"]["labels"] = {{"app", "web"}};
    guarded["pdbs"] = {{{"metadata", {{"name", "web"}, {"namespace", "lab"}}},
                        {"spec", {{"selector", {{"matchLabels", {{"app", "web"}}}}}}},
                        {"status", {{"disruptionsAllowed", 0}}}}};
    CHECK(answer_to(guarded)["preemption"]["nodes"] == Json{"a"});

    const Json never = cycle(
        pod("p", gpu, {{"spec", {{"priority", 100}, {"preemptionPolicy", "Never"}}}}), nodes, pods);
    CHECK(never["preemption"]["why"] == "not eligible due to preemptionPolicy=Never.");
}

TEST_CASE("kube requests: pods of a sequence see those that were placed before") {
    const Json gpu{{"nvidia.com/gpu", "1"}};
    const Json answer = answer_to({{"kind", "sequence"},
                                   {"nodes", {node("a", gpu), node("b", gpu)}},
                                   {"pending", {pod("1", gpu), pod("2", gpu), pod("3", gpu)}}});
    CHECK(answer["hosts"][0] != answer["hosts"][1]);
    CHECK(answer["hosts"][2].is_null());
    CHECK(answer["feasible"] == Json{2, 1, 0});
}

TEST_CASE("kube requests: the pending pods of a list are placed by priority, then by age") {
    const auto named = [](const char* kind, Json object, const char* created) {
        object["kind"] = kind;
        object["metadata"]["creationTimestamp"] = created;
        return object;
    };
    const Json gpu{{"nvidia.com/gpu", "1"}};
    const Json high{{"spec", {{"priority", 10}}}};
    const Json gated{{"spec", {{"schedulingGates", {{{"name", "later"}}}}}}};
    Json ended = running("ended", "a", gpu);
    ended["status"]["phase"] = "Succeeded";
    const Json answer =
        answer_to({{"kind", "List"},
                   {"items",
                    {named("Pod", pod("new", gpu), "2026-01-03T00:00:00Z"),
                     named("Pod", pod("old", gpu), "2026-01-02T00:00:00Z"),
                     named("Pod", pod("high", gpu, high), "2026-01-04T00:00:00Z"),
                     named("Pod", pod("gated", gpu, gated), "2026-01-01T00:00:00Z"),
                     named("Pod", ended, "2026-01-01T00:00:00Z"),
                     named("Pod", running("low", "b", gpu, -1), "2026-01-01T00:00:00Z"),
                     named("ConfigMap", {{"metadata", {{"name", "c"}}}}, "2026-01-01T00:00:00Z"),
                     named("Node", node("a", gpu), "2026-01-01T00:00:00Z"),
                     named("Node", node("b", gpu), "2026-01-02T00:00:00Z")}}});
    const Json& pods = answer["pods"];
    REQUIRE(pods.size() == 3);
    CHECK(pods[0]["name"] == "high");
    CHECK(pods[0]["message"] == "Successfully assigned lab/high to a");
    CHECK(pods[1]["name"] == "old");
    CHECK(pods[1]["node"].is_null());
    CHECK(pods[1]["message"] == "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
    CHECK(pods[1]["preempts"] == Json{{"node", "b"}, {"victims", {"lab/low"}}});
    CHECK(answer["notConsidered"] == Json{{"ConfigMap", 1}, {"schedulingGates", 1}});
}

TEST_CASE("kube requests: no pod takes the room for which others are preempted") {
    const auto of_kind = [](const char* kind, Json object) {
        object["kind"] = kind;
        return object;
    };
    const auto wants = [&](const char* name, int gpus, int priority) {
        return of_kind("Pod",
                       pod(name,
                           {{"nvidia.com/gpu", std::to_string(gpus)}},
                           {{"spec", {{"priority", priority}}}}));
    };
    Json list{{"kind", "List"},
              {"items",
               {of_kind("Node", node("a", {{"nvidia.com/gpu", "8"}})),
                of_kind("Pod", running("low", "a", {{"nvidia.com/gpu", "6"}})),
                wants("large", 8, 100),
                wants("small", 2, 0)}}};
    const Json pods = answer_to(list)["pods"];
    CHECK(pods[0]["preempts"] == Json{{"node", "a"}, {"victims", {"lab/low"}}});
    CHECK(pods[1]["message"].get<std::string>().starts_with(
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."));
    // One that waited for the node is counted once when it has come there.
    list["items"][1]["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"] = "0";
    list["items"][2]["status"] = {{"nominatedNodeName", "a"}};
    list["items"][2]["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"] = "4";
    const Json placed = answer_to(list)["pods"];
    CHECK(placed[0]["node"] == "a");
    CHECK(placed[1]["node"] == "a");
}

TEST_CASE("kube requests: a list's configuration counts") {
    const Json amounts{{"cpu", "8"}, {"memory", "8Gi"}};
    Json full = running("r", "a", {{"cpu", "4"}, {"memory", "4Gi"}});
    Json waiting = pod("p", {{"cpu", "1"}, {"memory", "1Gi"}});
    Json first = node("a", amounts);
    Json second = node("b", amounts);
    for (Json* object : {&full, &waiting}) {
        (*object)["kind"] = "Pod";
    }
    for (Json* object : {&first, &second}) {
        (*object)["kind"] = "Node";
    }
    Json list{{"kind", "List"}, {"items", {full, waiting, first, second}}};
    CHECK(answer_to(list)["pods"][0]["node"] == "b");
    const Json args{{"scoringStrategy", {{"type", "MostAllocated"}}}};
    const Json fit{{"name", "NodeResourcesFit"}, {"args", args}};
    const Json other{{"name", "Coscheduling"}, {"args", Json::object()}};
    Json profile{{"pluginConfig", {fit, other}}};
    list["items"].push_back({{"kind", "KubeSchedulerConfiguration"}, {"profiles", {profile}}});
    const Json answer = answer_to(list);
    CHECK(answer["pods"][0]["node"] == "a");
    CHECK(answer["notConsidered"] == Json{{"plugins", 1}});

    profile["schedulerName"] = "gpus";
    list["items"].back()["profiles"] = Json::array({profile});
    list["items"][1]["spec"]["schedulerName"] = "default-scheduler";
    const Json of_another = answer_to(list);
    CHECK(of_another["pods"].empty());
    CHECK(of_another["notConsidered"]["schedulerName"] == 1);
    list["items"][1]["spec"]["schedulerName"] = "gpus";
    const Json token{{"name", "token"}, {"projected", Json::object()}};
    const Json claim{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", "data"}}}};
    list["items"][1]["spec"]["volumes"] = {token, claim};
    CHECK(answer_to(list)["notConsidered"] == Json{{"plugins", 1}, {"volumes", 1}});
    list["items"][1]["spec"]["volumes"] = Json::array({token});
    CHECK(answer_to(list)["notConsidered"] == Json{{"plugins", 1}});
    list["items"][1]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "x";
    CHECK(answer_to(list)["error"].get<std::string>().starts_with(
        "items[1].spec.containers[0].resources.requests.cpu is \"x\""));
}

TEST_CASE("kube requests: devices are selected by expressions") {
    const std::string attribute = "device.attributes['gpu.io']";
    const std::vector<std::pair<std::string, std::string>> selected{
        {"true", "ab"},
        {attribute + ".model == 'new'", "bc"},
        {"!(" + attribute + ".model == 'old') && device.driver.startsWith('gpu')", "bc"},
        {attribute + ".model in ['old', 'x'] || " + attribute + ".firmware == semver('2.10.0')",
         "ab"},
        {attribute + ".firmware.isGreaterThan(semver('2.9.0'))", "bc"},
        {"device.capacity['gpu.io'].memory.compareTo(quantity('50Gi')) > 0", "bc"},
        {"has(" + attribute + ".model) && 'x' in device.attributes['none']", ""},
        {attribute + ".none == 1 || true", "ab"},
    };
    for (const auto& [selector, names] : selected) {
        CAPTURE(selector);
        CHECK(names_in(devices(2, selector)) == names);
    }
}

TEST_CASE(
    "kube requests: an expression that is wrong fails the pod, and one beyond berth the line") {
    CHECK(devices(1, "device.attributes['gpu.io'].none == 1")["error"] ==
          "claim c: selector #0: CEL runtime error: no such key: none");
    CHECK(devices(1, "device.colour == 1")["error"] ==
          "claim c: selector #0: CEL compile error: undefined field 'colour'");
    CHECK(devices(1, "device.driver ==")["fatal"] == true);
    const std::string deep(300, '(');
    CHECK(devices(1, deep + "true" + std::string(300, ')'))["error"] ==
          "claim c: selector #0: CEL compile error: expression recursion limit exceeded: 250");
    const Json beyond = devices(1, "device.driver.matches('g.u')");
    CHECK(!beyond.contains("results"));
    CHECK_THAT(beyond["error"].get<std::string>(),
               Catch::StartsWith("a selector of devices uses what berth lacks: matches() is not"));
}

TEST_CASE("kube requests: a search for devices ends at its limit, and says so") {
    CHECK(names_in(devices(3, "true")) == "abc");
    const Json stopped = devices(3, "true", {{"stepLimit", 3}});
    CHECK(stopped["error"] == "the search was stopped after 3 steps");
    CHECK(stopped["stopped"] == true);
    CHECK(stopped["allocateOne"] == 3);
}

TEST_CASE("kube requests: what is none is answered with its place and what was expected") {
    CHECK(error_of({{"kind", "guess"}}) ==
          "kind is \"guess\": expected schedule or preempt or sequence or dra or List");
    CHECK(error_of({{"kind", "schedule"}}) == "no pod.metadata.name: expected one");
    CHECK(error_of({{"kind", "schedule"}, {"pod", pod("p", {{"cpu", "1x"}})}}) ==
          "pod.spec.containers[0].resources.requests.cpu is \"1x\": expected a Kubernetes "
          "quantity such as 500m, 16 or 256Gi");
    CHECK(error_of({{"kind", "schedule"}, {"pod", pod("p", {{"cpu", "-1"}})}}) ==
          "pod.spec.containers[0].resources.requests.cpu is \"-1\": expected at least 0");
    CHECK(error_of({{"kind", "schedule"},
                    {"pod", pod("p", Json::object())},
                    {"nodes", {node("a", Json::object()), node("a", Json::object())}}}) ==
          "nodes[1].metadata.name is \"a\": expected a name that no other node has");
    CHECK(error_of({{"kind", "schedule"}, {"pod", pod("p", Json::object())}}) ==
          "no nodes available to schedule pods");
    CHECK(error_of({{"kind", "schedule"},
                    {"pod", pod("p", Json::object())},
                    {"config", {{"weights", {{"NodePort", 1}}}}}}) ==
          "config.weights.NodePort is 1: expected the weight of a plugin that scores nodes");
    CHECK(error_of({{"kind", "schedule"},
                    {"pod", pod("p", Json::object())},
                    {"config", {{"pluginConfig", {{"NodeResourceFit", "x"}}}}}}) ==
          "config.pluginConfig.NodeResourceFit is \"x\": expected the arguments of a plugin of "
          "kube-scheduler");
}
