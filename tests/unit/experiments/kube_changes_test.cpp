#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "schedulers/kube/decide/smallest_change.hpp"
#include "schedulers/kube/requests/kube.hpp"

using berth::experiments::answer_kube_request;
using berth::experiments::Json;
namespace kube = berth::core::kube;

namespace {

Json of_kind(const char* kind, Json object) {
    object["kind"] = kind;
    return object;
}

/// A node with eight GPUs.
Json gpu_node(const std::string& name, const Json& more = Json::object()) {
    Json made{{"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
              {"spec", Json::object()},
              {"status",
               {{"allocatable",
                 {{"pods", "110"}, {"cpu", "16"}, {"memory", "64Gi"}, {"nvidia.com/gpu", "8"}}}}}};
    made.merge_patch(more);
    return of_kind("Node", made);
}

Json labelled(const std::string& name, const std::string& key, const std::string& value) {
    return gpu_node(name, {{"metadata", {{"labels", {{key, value}}}}}});
}

Json gpu_pod(const std::string& name, int gpus, const Json& spec = Json::object()) {
    const Json main{{"resources", {{"requests", {{"nvidia.com/gpu", std::to_string(gpus)}}}}}};
    Json made{{"metadata", {{"name", name}, {"namespace", "lab"}, {"labels", {{"app", "train"}}}}},
              {"spec", {{"containers", {main}}}}};
    made["spec"].merge_patch(spec);
    return of_kind("Pod", made);
}

Json running_on(const std::string& name,
                const std::string& on,
                int gpus,
                Json spec = Json::object()) {
    spec["nodeName"] = on;
    return gpu_pod(name, gpus, spec);
}

Json taint(const char* key, const char* value, const char* effect) {
    return {{"key", key}, {"value", value}, {"effect", effect}};
}

Json tainted(const std::string& name, const std::vector<Json>& taints) {
    return gpu_node(name, {{"spec", {{"taints", taints}}}});
}

Json spread(const char* key) {
    const Json constraint{{"topologyKey", key},
                          {"maxSkew", 1},
                          {"whenUnsatisfiable", "DoNotSchedule"},
                          {"labelSelector", {{"matchLabels", {{"app", "train"}}}}}};
    return {{"topologySpreadConstraints", {constraint}}};
}

Json pod_affinity(const char* side, const char* app, const char* key) {
    const Json term{{"topologyKey", key}, {"labelSelector", {{"matchLabels", {{"app", app}}}}}};
    return {{"affinity", {{side, {{"requiredDuringSchedulingIgnoredDuringExecution", {term}}}}}}};
}

Json node_affinity(const std::vector<std::pair<const char*, const char*>>& labels) {
    Json conditions = Json::array();
    for (const auto& [key, value] : labels) {
        conditions.push_back({{"key", key}, {"operator", "In"}, {"values", {value}}});
    }
    Json affinity;
    affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            ["nodeSelectorTerms"] = Json::array({Json{{"matchExpressions", conditions}}});
    return {{"affinity", affinity}};
}

Json with_port(int port) {
    return {{"containers", {{{"ports", {{{"hostPort", port}}}}}}}};
}

Json answers_to(const std::vector<Json>& items) {
    const Json answer =
        Json::parse(answer_kube_request(Json{{"kind", "List"}, {"items", items}}.dump()));
    INFO(answer.dump());
    REQUIRE(answer.contains("pods"));
    return answer["pods"];
}

Json answer_for(const std::string& name, const std::vector<Json>& items) {
    for (const Json& answer : answers_to(items)) {
        if (answer["name"] == name) {
            return answer;
        }
    }
    FAIL("no answer for " << name);
    return {};
}

/// The objects with what an answer tells to change.
std::vector<Json> changed(const Json& answer, std::vector<Json> items) {
    for (const Json& change : answer["changes"]) {
        for (Json& item : items) {
            if (item["kind"] == change["kind"] && item["metadata"]["name"] == change["name"]) {
                item = item.patch(change["patch"]);
            }
        }
    }
    return items;
}

bool is_told_to_preempt(const Json& answer) {
    return answer["change"].get<std::string>().find("preempted") != std::string::npos;
}

/// What is told for the pod `p`, which works.
std::string told(const std::vector<Json>& items) {
    const Json answer = answer_for("p", items);
    CHECK(answer["node"].is_null());
    if (answer["change"].is_null()) {
        CHECK(!answer.contains("changes"));
        return "";
    }
    CHECK(answer["changesTried"] > 0);
    const Json then = answer_for("p", changed(answer, items));
    INFO(answer.dump() << " then " << then.dump());
    if (is_told_to_preempt(answer)) {
        CHECK(then.contains("preempts"));
    } else {
        CHECK(!then["node"].is_null());
    }
    return answer["change"];
}

}  // namespace

TEST_CASE("kube changes: the taints of a node are tolerated") {
    CHECK(told({tainted("a", {taint("team", "speech", "NoSchedule")}), gpu_pod("p", 1)}) ==
          "Add a toleration of the taint team=speech:NoSchedule.");
    // Nodes with one taint come before nodes with two of them, and more nodes before fewer.
    const Json both = tainted("a", {taint("b", "c", "NoSchedule"), taint("a", "", "NoExecute")});
    CHECK(told({both, gpu_pod("p", 1)}) ==
          "Add tolerations of the taints a:NoExecute and b=c:NoSchedule.");
    CHECK(told({both, tainted("b", {taint("z", "", "NoSchedule")}), gpu_pod("p", 1)}) ==
          "Add a toleration of the taint z:NoSchedule.");
    const Json other{{"tolerations", {{{"key", "x"}, {"operator", "Exists"}}}}};
    CHECK(told({tainted("b", {taint("z", "", "NoSchedule")}), gpu_pod("p", 1, other)}) ==
          "Add a toleration of the taint z:NoSchedule.");
    // A node that is not ready would not run the pod.
    CHECK(told({tainted("a", {taint("node.kubernetes.io/not-ready", "", "NoSchedule")}),
                gpu_pod("p", 1)}) == "");
}

TEST_CASE("kube changes: maxSkew is raised as little as helps, or does not bind") {
    const char* zone = "topology.kubernetes.io/zone";
    const std::vector<Json> items{labelled("a", zone, "a"),
                                  labelled("b", zone, "b"),
                                  running_on("r1", "a", 1),
                                  running_on("r2", "a", 1),
                                  running_on("full", "b", 8, {{"priority", 5}}),
                                  running_on("more", "a", 1),
                                  gpu_pod("p", 1, spread(zone))};
    CHECK(told(items) ==
          "Raise maxSkew of the constraint on topology.kubernetes.io/zone from 1 to 3.");
    std::vector<Json> nearly = items;
    nearly.back()["spec"]["topologySpreadConstraints"][0]["maxSkew"] = 2;
    CHECK(answer_for("p", nearly)["node"].is_null());
    CHECK(told({gpu_node("a"), gpu_pod("p", 1, spread("rack"))}) ==
          "Set whenUnsatisfiable of the constraint on rack to ScheduleAnyway.");
}

TEST_CASE("kube changes: required terms on pods become preferred ones") {
    const char* host = "kubernetes.io/hostname";
    CHECK(told({gpu_node("a"),
                running_on("r", "a", 1),
                gpu_pod("p", 1, pod_affinity("podAntiAffinity", "train", host))}) ==
          "Turn the required anti-affinity on kubernetes.io/hostname into a preferred one.");
    CHECK(told({gpu_node("a"), gpu_pod("p", 1, pod_affinity("podAffinity", "web", host))}) ==
          "Turn the required affinity on kubernetes.io/hostname into a preferred one.");
}

TEST_CASE("kube changes: the pod selects less, or a node gets the label") {
    const std::vector<Json> items{labelled("a", "zone", "a"),
                                  gpu_pod("p", 1, {{"nodeSelector", {{"zone", "b"}}}})};
    CHECK(told(items) == "Remove zone=b from nodeSelector, or give node a the label zone=b.");
    CHECK(!answer_for("p", {labelled("a", "zone", "b"), items.back()})["node"].is_null());
    CHECK(
        told({gpu_node("a"), gpu_pod("p", 1, {{"nodeSelector", {{"x.io/y", "1"}, {"z", "2"}}}})}) ==
        "Remove x.io/y=1 and z=2 from nodeSelector, or give node a the labels x.io/y=1 and "
        "z=2.");
    CHECK(told({labelled("a", "zone", "a"),
                gpu_pod("p", 1, node_affinity({{"zone", "a"}, {"disk", "ssd"}}))}) ==
          "Remove disk In [ssd] from the required node affinity.");
    CHECK(told({gpu_node("a"), gpu_pod("p", 1, node_affinity({{"disk", "ssd"}}))}) ==
          "Remove the required node affinity.");
}

TEST_CASE("kube changes: a host port that is taken is given up") {
    CHECK(told({gpu_node("a"),
                running_on("r", "a", 0, with_port(8080)),
                gpu_pod("p", 0, with_port(8080))}) ==
          "Do without the host port 8080, or free it on node a.");
}

TEST_CASE("kube changes: the pod asks for what a node has left") {
    CHECK(told({gpu_node("a"),
                gpu_node("b"),
                running_on("r1", "a", 6),
                running_on("r2", "b", 4),
                gpu_pod("p", 8)}) == "Ask for at most 4 nvidia.com/gpu.");
    Json two = gpu_pod("p", 6);
    two["spec"]["containers"].push_back(two["spec"]["containers"][0]);
    two["spec"]["initContainers"] = {two["spec"]["containers"][0]};
    CHECK(told({gpu_node("a"), running_on("r", "a", 4), two}) ==
          "Ask for at most 4 nvidia.com/gpu.");
    const Json eight_cpu{{"requests", {{"cpu", "8"}}}};
    const Json whole{{"resources", {{"requests", {{"cpu", "10"}}}}},
                     {"containers", {{{"resources", eight_cpu}}}}};
    const std::vector<Json> pod_level{
        gpu_node("a"),
        running_on("r", "a", 0, {{"containers", {{{"resources", eight_cpu}}}}}),
        running_on("s", "a", 0, {{"resources", {{"requests", {{"cpu", "2"}}}}}}),
        gpu_pod("p", 0, whole)};
    CHECK(told(pod_level) == "Ask for at most 6 cpu.");
    const Json patch = answer_for("p", pod_level)["changes"][0]["patch"];
    CHECK(patch ==
          Json{{{"op", "replace"},
                {"path", "/spec/containers/0/resources/requests/cpu"},
                {"value", "6"}},
               {{"op", "replace"}, {"path", "/spec/resources/requests/cpu"}, {"value", "6"}}});
    const Json large{{"requests", {{"memory", "100Gi"}, {"cpu", "20500m"}}}};
    CHECK(told({gpu_node("a"), gpu_pod("p", 0, {{"containers", {{{"resources", large}}}}})}) ==
          "Ask for at most 16 cpu and 64Gi memory.");
    // A node that other filters keep from the pod does not count.
    const Json cordoned = gpu_node("b", {{"spec", {{"unschedulable", true}}}});
    CHECK(told({gpu_node("a"), cordoned, running_on("r1", "a", 6), gpu_pod("p", 9)}) ==
          "Ask for at most 2 nvidia.com/gpu.");
}

TEST_CASE("kube changes: a node that would take the pod loses its cordon") {
    const Json cordoned =
        gpu_node("b",
                 {{"spec",
                   {{"unschedulable", true},
                    {"taints", {taint("node.kubernetes.io/unschedulable", "", "NoSchedule")}}}}});
    CHECK(told({cordoned, gpu_pod("p", 1)}) == "Make node b schedulable (uncordon).");
    // What the pod can do is told first.
    CHECK(told({gpu_node("a"), cordoned, running_on("r", "a", 6), gpu_pod("p", 8)}) ==
          "Ask for at most 2 nvidia.com/gpu.");
}

TEST_CASE("kube changes: two changes are tried where none helps alone") {
    CHECK(told({tainted("a", {taint("team", "speech", "NoSchedule")}),
                running_on("r", "a", 5),
                gpu_pod("p", 8)}) ==
          "Add a toleration of the taint team=speech:NoSchedule, and ask for at most 3 "
          "nvidia.com/gpu.");
    const Json cordoned = gpu_node("b", {{"spec", {{"unschedulable", true}}}});
    CHECK(told({cordoned, gpu_pod("p", 1, {{"nodeSelector", {{"zone", "b"}}}})}) ==
          "Make node b schedulable (uncordon), and remove zone=b from nodeSelector.");
}

TEST_CASE("kube changes: what preemption would do is told last") {
    const auto full = [](int priority) {
        return running_on("r", "a", 8, {{"priority", priority}});
    };
    CHECK(told({gpu_node("a"),
                full(5),
                gpu_pod("p", 1, {{"priority", 10}, {"preemptionPolicy", "Never"}})}) ==
          "Set preemptionPolicy to PreemptLowerPriority: then pod lab/r would be preempted on node "
          "a.");
    CHECK(told({gpu_node("a"), full(5), gpu_pod("p", 1)}) ==
          "Raise the priority to 6: then pod lab/r would be preempted on node a.");
    const std::vector<Json> several{gpu_node("a"),
                                    running_on("r1", "a", 2, {{"priority", 1}}),
                                    running_on("r2", "a", 2, {{"priority", 7}}),
                                    running_on("r3", "a", 2, {{"priority", 9}}),
                                    running_on("r4", "a", 2, {{"priority", 20}}),
                                    gpu_pod("p", 4)};
    CHECK(told(several) ==
          "Raise the priority to 8: then pods lab/r2 and lab/r1 would be preempted on node a.");
    CHECK(told({gpu_node("a"), full(1'000'000'000), gpu_pod("p", 1)}) == "");
    // A pod that preempts as it is gets no such advice.
    CHECK(told({gpu_node("a"), full(5), gpu_pod("p", 1, {{"priority", 10}})}) == "");
    // Room is kept for another pod.
    const Json waits = gpu_pod("first", 8, {{"priority", 100}});
    CHECK(told({gpu_node("a"), running_on("r", "a", 4), waits, gpu_pod("p", 4)}) ==
          "Raise the priority to 101: then it would get the room kept for others on node a.");
}

TEST_CASE("kube changes: what is remembered for equal pods ends when a pod is placed") {
    const std::vector<Json> items{
        gpu_node("a"), gpu_pod("1", 9), gpu_pod("2", 9), gpu_pod("3", 6), gpu_pod("4", 9)};
    const Json answers = answers_to(items);
    CHECK(answers[0]["change"] == "Ask for at most 8 nvidia.com/gpu.");
    CHECK(answers[1]["change"] == answers[0]["change"]);
    CHECK(answers[1]["changes"][0]["name"] == "2");
    CHECK(answers[1]["changesTried"] == answers[0]["changesTried"]);
    CHECK(answers[2]["node"] == "a");
    CHECK(answers[3]["change"] == "Ask for at most 2 nvidia.com/gpu.");
}

TEST_CASE("kube changes: the search leaves the cluster as it was") {
    kube::ClusterObjects objects;
    constexpr berth::core::Quantity billion = 1'000'000'000;
    for (const char* name : {"a", "b", "c"}) {
        kube::Node& made = objects.nodes.emplace_back();
        made.name = name;
        made.is_unschedulable = true;
        made.allocatable = {{"pods", 10 * billion}};
    }
    kube::Cluster cluster(std::move(objects));
    kube::Pod waiting;
    waiting.uid = "p";
    waiting.node_selector = berth::core::Labels{{"zone", "b"}};
    cluster.next_start = 2;
    const kube::Feasible failed = kube::find_feasible(waiting, cluster);
    REQUIRE(failed.nodes.empty());
    const std::size_t next_start = cluster.next_start;
    const kube::ChangeSearch search = kube::find_smallest_change(waiting, cluster, failed, false);
    REQUIRE(search.change);
    CHECK(search.change->text ==
          "Make node a schedulable (uncordon), and remove zone=b from nodeSelector.");
    CHECK(cluster.next_start == next_start);
    CHECK(cluster.version() == 0);
    for (const kube::NodeState& state : cluster.nodes()) {
        CHECK(state.node().is_unschedulable);
        CHECK(state.node().labels.empty());
    }
}

namespace {

/// Random small clusters in which one pod may find no node.
class RandomList {
public:
    explicit RandomList(unsigned seed) : random_(seed) {}

    std::vector<Json> items() {
        std::vector<Json> made;
        const int nodes = below(3) + 1;
        for (int i = 0; i < nodes; ++i) {
            made.push_back(any_node(std::string(1, static_cast<char>('a' + i))));
        }
        for (int i = below(6); i > 0; --i) {
            const std::string on(1, static_cast<char>('a' + below(nodes)));
            made.push_back(any_pod("r" + std::to_string(i)));
            made.back()["spec"]["nodeName"] = on;
        }
        made.push_back(any_pod("p"));
        return made;
    }

private:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    bool one_in(int count) { return below(count) == 0; }

    Json any_node(const std::string& name) {
        Json made = gpu_node(name);
        made["metadata"]["labels"]["zone"] = std::string(1, static_cast<char>('x' + below(2)));
        for (const char* key : {"k1", "k2", "node.kubernetes.io/unschedulable"}) {
            if (one_in(4)) {
                made["spec"]["taints"].push_back(taint(key, "", "NoSchedule"));
            }
        }
        if (one_in(4)) {
            made["spec"]["unschedulable"] = true;
        }
        return made;
    }

    Json any_pod(const std::string& name) {
        Json made = gpu_pod(name, below(10));
        Json& spec = made["spec"];
        spec["priority"] = below(4);
        made["metadata"]["labels"]["app"] = one_in(2) ? "train" : "web";
        const auto add = [&](int chance, const Json& more) {
            if (one_in(chance)) {
                spec.merge_patch(more);
            }
        };
        add(3, {{"nodeSelector", {{"zone", "x"}}}});
        add(3, spread(one_in(2) ? "zone" : "kubernetes.io/hostname"));
        add(3, pod_affinity("podAntiAffinity", "train", "zone"));
        add(4, pod_affinity("podAffinity", "web", "kubernetes.io/hostname"));
        add(4, node_affinity({{"zone", "y"}, {"disk", "ssd"}}));
        add(5, {{"preemptionPolicy", "Never"}});
        if (one_in(3)) {
            spec["containers"][0]["ports"] = Json::array({Json{{"hostPort", 80}}});
        }
        return made;
    }

    std::mt19937 random_;
};

}  // namespace

TEST_CASE("kube changes: whatever is told for a random pod works") {
    std::map<std::string, int> by_first_word;
    for (unsigned seed = 0; seed < 600; ++seed) {
        CAPTURE(seed);
        const std::vector<Json> items = RandomList(seed).items();
        if (answer_for("p", items)["node"].is_null()) {
            const std::string text = told(items);
            ++by_first_word[text.substr(0, text.find(' '))];
        }
    }
    for (const char* word : {"", "Add", "Ask", "Do", "Make", "Raise", "Remove", "Set", "Turn"}) {
        CAPTURE(word);
        CHECK(by_first_word[word] > 0);
    }
}
