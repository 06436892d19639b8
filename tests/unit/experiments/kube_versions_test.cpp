#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schedulers/kube/requests/kube.hpp"

// What kube-scheduler 1.37 decides otherwise than 1.36. The other tests of kube requests
// ask for 1.36.

using berth::experiments::answer_kube_request;
using berth::experiments::Json;

namespace {

/// The answer of a version to a request that names none.
Json answer_of(const char* version, Json request) {
    request["config"]["version"] = version;
    return Json::parse(answer_kube_request(request.dump()));
}

Json node(const std::string& name, const Json& more = Json::object()) {
    Json made{{"metadata", {{"name", name}, {"labels", {{"host", name}}}}},
              {"status", {{"allocatable", {{"pods", 9}}}}}};
    made.merge_patch(more);
    return made;
}

Json pod(const std::string& name, const Json& spec, const std::string& name_space = "lab") {
    return {{"metadata", {{"name", name}, {"namespace", name_space}}}, {"spec", spec}};
}

Json wanting_gpu(const Json& more = Json::object()) {
    Json spec{{"containers", {{{"resources", {{"requests", {{"gpu.io/gpu", 1}}}}}}}}};
    spec.update(more);
    return spec;
}

/// Required affinity to one node, by name; each further name is a condition that must hold too.
Json affinity_to(const std::vector<std::string>& names) {
    Json fields = Json::array();
    for (const std::string& name : names) {
        fields.push_back({{"key", "metadata.name"}, {"operator", "In"}, {"values", {name}}});
    }
    return {{"nodeAffinity",
             {{"requiredDuringSchedulingIgnoredDuringExecution",
               {{"nodeSelectorTerms", {{{"matchFields", fields}}}}}}}}};
}

/// There are two nodes. The first one has the only GPU, which a pod of low priority holds.
Json with_full_node(const Json& pod_spec) {
    const Json gpu{{"status", {{"allocatable", {{"gpu.io/gpu", 1}}}}}};
    return {{"kind", "preempt"},
            {"nodes", {node("a", gpu), node("b")}},
            {"pods", {pod("low", wanting_gpu({{"nodeName", "a"}, {"priority", -1}}))}},
            {"pod", pod("p", pod_spec)}};
}

}  // namespace

TEST_CASE("kube requests: since 1.37, a pod's node name is the only node that is looked at") {
    const Json request = with_full_node(wanting_gpu({{"nodeName", "a"}}));
    CHECK(answer_of("1.36", request)["fitError"] ==
          "0/2 nodes are available: 1 Insufficient gpu.io/gpu, 1 node(s) didn't match the "
          "requested node name.");
    const Json answer = answer_of("1.37", request);
    CHECK(answer["fitError"] ==
          "0/2 nodes are available: 1 Insufficient gpu.io/gpu, 1 node(s) didn't satisfy plugin(s) "
          "[NodeName].");
    CHECK(answer["preFilter"] ==
          Json{{"code", "Success"}, {"plugins", {"NodeName"}}, {"nodes", {"a"}}});
    CHECK(answer["nodes"].size() == 1);
    CHECK(answer["unschedulablePlugins"] == Json{"NodeName", "NodeResourcesFit"});
}

TEST_CASE("kube requests: since 1.37, a pod's node name and its affinity must name the same node") {
    const auto prefilter = [](const std::vector<std::string>& names) {
        const Json spec = wanting_gpu({{"nodeName", "a"}, {"affinity", affinity_to(names)}});
        return answer_of("1.37", with_full_node(spec));
    };
    CHECK(prefilter({"a"})["preFilter"] ==
          Json{{"code", "Success"}, {"plugins", {"NodeAffinity", "NodeName"}}, {"nodes", {"a"}}});
    const Json apart = prefilter({"b"});
    CHECK(apart["preFilter"]["nodes"] == Json::array());
    CHECK(apart["unschedulablePlugins"] == Json{"NodeAffinity", "NodeName"});
    CHECK(apart["fitError"] ==
          "0/2 nodes are available: node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] "
          "simultaneously.");
    // Affinity that contradicts itself rejects the pod alone.
    CHECK(prefilter({"a", "b"})["preFilter"] == Json{{"code", "UnschedulableAndUnresolvable"},
                                                     {"reasons", {"pod affinity terms conflict"}}});
}

TEST_CASE("kube requests: since 1.37, a selector of namespaces selects only those that match") {
    // Every namespace has the label that the selector excludes, but an empty set of labels lacks
    // it.
    const Json lacks_team{{"matchExpressions", {{{"key", "team"}, {"operator", "DoesNotExist"}}}}};
    const Json term{{"topologyKey", "host"},
                    {"labelSelector", Json::object()},
                    {"namespaceSelector", lacks_team}};
    const auto spec = [](const char* when, const Json& one) {
        return Json{{"containers", Json::array()},
                    {"affinity", {{"podAntiAffinity", {{when, Json::array({one})}}}}}};
    };
    Json request{{"kind", "schedule"},
                 {"namespaces",
                  {{{"metadata", {{"name", "lab"}, {"labels", {{"team", "x"}}}}}},
                   {{"metadata", {{"name", "other"}, {"labels", {{"team", "y"}}}}}}}},
                 {"nodes", {node("a"), node("b")}},
                 {"pods", {pod("r", {{"nodeName", "a"}}, "other")}},
                 {"pod", pod("p", spec("requiredDuringSchedulingIgnoredDuringExecution", term))}};
    CHECK(answer_of("1.36", request)["nodes"]["a"]["plugin"] == "InterPodAffinity");
    CHECK(answer_of("1.37", request)["nodes"]["a"]["code"] == "Success");
    Json sequence = request;
    sequence["kind"] = "sequence";
    sequence["pending"] = Json::array({request["pod"]});
    CHECK(answer_of("1.36", sequence)["feasible"] == Json{1});
    CHECK(answer_of("1.37", sequence)["feasible"] == Json{2});

    const Json preferred{{"weight", 1}, {"podAffinityTerm", term}};
    request["pod"] = pod("p", spec("preferredDuringSchedulingIgnoredDuringExecution", preferred));
    CHECK(answer_of("1.36", request)["scores"].contains("InterPodAffinity"));
    CHECK(!answer_of("1.37", request)["scores"].contains("InterPodAffinity"));

    // Namespaces that match are still selected, and all of them by an empty selector.
    const Json scores{{"a", 0}, {"b", 100}};
    request["namespaces"][1]["metadata"]["labels"] = Json::object();
    CHECK(answer_of("1.37", request)["scores"]["InterPodAffinity"] == scores);
    request["namespaces"] = Json::array();
    CHECK(!answer_of("1.37", request)["scores"].contains("InterPodAffinity"));
    request["pod"]["spec"]["affinity"]["podAntiAffinity"]
           ["preferredDuringSchedulingIgnoredDuringExecution"][0]["podAffinityTerm"]
           ["namespaceSelector"] = Json::object();
    CHECK(answer_of("1.37", request)["scores"]["InterPodAffinity"] == scores);
}

TEST_CASE("kube requests: since 1.37, the images of volumes count in the most that images score") {
    // Half of the nodes have the volume's image, so that half of its size counts: 523 MiB, of which
    // the first 23 count for nothing. One container scores up to 1000 MiB, two images up to 2000.
    const std::int64_t size = std::int64_t{1046} << 20U;
    const Json images{{"status", {{"images", {{{"names", {"data:1"}}, {"sizeBytes", size}}}}}}};
    const Json volume{{"name", "data"}, {"image", {{"reference", "data:1"}}}};
    const Json request{
        {"kind", "schedule"},
        {"nodes", {node("a", images), node("b")}},
        {"pod", pod("p", {{"containers", {{{"image", "train:1"}}}}, {"volumes", {volume}}})}};
    const auto score = [&](const char* version) {
        return answer_of(version, request)["scores"]["ImageLocality"]["a"];
    };
    CHECK(score("1.36") == 100 * 500 / 977);
    CHECK(score("1.37") == 100 * 500 / 1977);
}

TEST_CASE("kube requests: since 1.37, messages say where a pod preempts others, and no claims") {
    const auto message = [](const char* version, const Json& spec) {
        return answer_of(version, with_full_node(spec))["preemption"]["message"];
    };
    const Json never = wanting_gpu({{"preemptionPolicy", "Never"}});
    CHECK(message("1.36", never) ==
          "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.");
    CHECK(message("1.37", never) == "preemption: not eligible due to preemptionPolicy=Never.");
    const Json low = wanting_gpu({{"priority", -1}});
    CHECK(message("1.37", low) ==
          "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 "
          "Preemption is not helpful for scheduling.");
    CHECK(message("1.36", wanting_gpu()) == "");
    CHECK(message("1.37", wanting_gpu()) ==
          "preemption: found a potential placement for pod on node a, preempting 1 victims");
}

TEST_CASE("kube requests: since 1.37, a pod that is resized counts what all containers hold") {
    // Two containers ask for 4 and 3 CPUs. The first holds 1 and has 2 set aside for it.
    const auto container = [](const char* name, int cpus) {
        return Json{{"name", name}, {"resources", {{"requests", {{"cpu", cpus}}}}}};
    };
    Json running = pod(
        "r", {{"nodeName", "a"}, {"containers", {container("first", 4), container("second", 3)}}});
    Json& status = running["status"];
    status["containerStatuses"] = Json::array({{{"name", "first"},
                                                {"resources", {{"requests", {{"cpu", 1}}}}},
                                                {"allocatedResources", {{"cpu", 2}}}}});
    // How many CPUs of nine the running pod counts: for so many pods there is no room.
    const auto counted = [&](const char* version) {
        int used = 0;
        for (int cpus = 1; cpus <= 9; ++cpus) {
            const Json asked{{"containers", {container("c", cpus)}}};
            const Json request{
                {"kind", "schedule"},
                {"nodes", {node("a", {{"status", {{"allocatable", {{"cpu", 9}}}}}})}},
                {"pods", {running}},
                {"pod", pod("p", asked)}};
            used += answer_of(version, request).contains("chosen") ? 0 : 1;
        }
        return used;
    };
    CHECK(counted("1.36") == 4 + 3);
    CHECK(counted("1.37") == 4 + 3);
    // A container without a status holds nothing that counts if the node refuses to resize the pod.
    status["conditions"] =
        Json::array({{{"type", "PodResizePending"}, {"reason", "Infeasible"}, {"status", "True"}}});
    CHECK(counted("1.36") == 2 + 3);
    CHECK(counted("1.37") == 2);
    // The greatest of three sums, and not the sum of what is greatest for each container.
    status.erase("conditions");
    status["containerStatuses"] =
        Json::array({{{"name", "first"}, {"resources", {{"requests", {{"cpu", 1}}}}}},
                     {{"name", "second"}, {"resources", {{"requests", {{"cpu", 5}}}}}}});
    CHECK(counted("1.36") == 4 + 5);
    CHECK(counted("1.37") == 4 + 3);
    // What is set aside counts without resources, too, and also of a container that ends first.
    running["spec"]["initContainers"] = Json::array({container("before", 1)});
    status["containerStatuses"] = Json::array();
    status["initContainerStatuses"] =
        Json::array({{{"name", "before"}, {"allocatedResources", {{"cpu", 8}}}}});
    CHECK(counted("1.36") == 4 + 3);
    CHECK(counted("1.37") == 8);
}

TEST_CASE("kube requests: a list has a version, and other versions are refused") {
    Json list = with_full_node(wanting_gpu());
    list["nodes"][0]["kind"] = list["nodes"][1]["kind"] = "Node";
    list["pods"][0]["kind"] = list["pod"]["kind"] = "Pod";
    list = {{"kind", "List"},
            {"version", "1.37"},
            {"items", {list["nodes"][0], list["nodes"][1], list["pods"][0], list["pod"]}}};
    const auto answer = [&] { return Json::parse(answer_kube_request(list.dump())); };
    CHECK(answer()["pods"][0]["message"] ==
          "0/2 nodes are available: 2 Insufficient gpu.io/gpu. preemption: found a potential "
          "placement for pod on node a, preempting 1 victims");
    list["version"] = "1.38";
    CHECK(answer()["error"] == "version is \"1.38\": expected 1.36 or 1.37");
    CHECK(answer_of("1.5", with_full_node(wanting_gpu()))["error"] ==
          "config.version is \"1.5\": expected 1.36 or 1.37");
}
