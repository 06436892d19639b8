// Pending pods of one job start together as a group.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string node(const std::string& name) {
    return R"({"kind": "Node", "metadata": {"name": ")" + name +
           R"("}, "status": {"allocatable": {"cpu": "8", "nvidia.com/gpu": "4"}}})";
}

struct PodText {
    std::string name;
    std::string metadata;  ///< Text such as `"labels": {...}`.
    std::string gpus = "4";
    std::string node = "";
    std::string name_space = "lab";
    std::string spec = "";
};

std::string pod(const PodText& what) {
    return R"({"kind": "Pod", "metadata": {"name": ")" + what.name + R"(", "namespace": ")" +
           what.name_space + R"(", )" + what.metadata + R"(}, "spec": {)" +
           (what.node.empty() ? "" : R"("nodeName": ")" + what.node + R"(", )") + what.spec +
           R"("containers": [{"resources": {"requests": {"nvidia.com/gpu": ")" + what.gpus +
           R"("}}}]}, "status": {"phase": ")" + (what.node.empty() ? "Pending" : "Running") +
           R"("}})";
}

std::string owned_by(const std::string& kind, const std::string& name) {
    return R"("ownerReferences": [{"kind": ")" + kind + R"(", "name": ")" + name +
           R"(", "controller": true}])";
}

std::string label(const std::string& key, const std::string& value) {
    return R"("labels": {")" + key + R"(": ")" + value + R"("})";
}

/// A cluster of two nodes with four GPUs each.
struct Cluster : Folder {
    explicit Cluster(const std::vector<std::string>& objects, const std::string& keys = "") {
        std::string list = R"({"kind": "List", "items": [)" + node("a") + ", " + node("b");
        for (const std::string& object : objects) {
            list += ", " + object;
        }
        write("cluster.json", list + "]}");
        write("state.yaml",
              "kind: Experiment\nmetadata: {name: state}\nspec:\n"
              "  topology: {nodes: {format: kubernetes, file: cluster.json}}\n"
              "  workload: [{running: {file: cluster.json, lifetime: 1h, pending: true" +
                  keys + "}}]\n  until: 1d\n");
    }
    /// Start times in seconds, by the group named in pods.csv, or else by the pod.
    std::map<std::string, std::string> starts() {
        const Answer answer = berth({"run", "state.yaml", "-o", "out"});
        CAPTURE(answer.err);
        CHECK(answer.status == 0);
        said = answer.err;
        std::map<std::string, std::string> out;
        for (const CsvRow& row : csv_rows(read("out/pods.csv"))) {
            const std::string& name = row.at("group").empty() ? row.at("pod") : row.at("group");
            out[name] = std::max(out[name], row.at("start_s"));  // some members may have no start
        }
        return out;
    }
    std::string said;
};

using Starts = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("pending groups: pods of one job start as one", "[cli][initial][groups]") {
    struct Row {
        std::string metadata;
        std::string name;
        std::string spec = "";
    };
    const Row row = GENERATE(
        Row{label("scheduling.x-k8s.io/pod-group", "g"), "lab/g"},
        Row{label("pod-group.scheduling.sigs.k8s.io", "g"), "lab/g"},
        Row{label("pod-group.scheduling.sigs.k8s.io/name", "g"), "lab/g"},
        Row{label("gang.scheduling.koordinator.sh/name", "g"), "lab/g"},
        Row{label("kueue.x-k8s.io/pod-group-name", "g"), "lab/g"},
        Row{R"("annotations": {"scheduling.k8s.io/group-name": "g"})", "lab/g"},
        Row{R"("annotations": {"pod-group-name": "g"})", "lab/g"},
        Row{R"("labels": {"leaderworkerset.sigs.k8s.io/name": "g", )"
            R"("leaderworkerset.sigs.k8s.io/group-index": "1"}, )" +
                owned_by("StatefulSet", "g-1"),
            "lab/g-1"},
        Row{label("jobset.sigs.k8s.io/jobset-name", "g") + ", " + owned_by("Job", "g-workers-0"),
            "lab/g"},
        Row{label("training.kubeflow.org/job-name", "g"), "lab/g"},
        Row{label("batch.kubernetes.io/job-name", "g"), "lab/g"},
        Row{label("job-name", "g"), "lab/g"},
        Row{owned_by("Job", "g"), "lab/g"},
        Row{owned_by("PyTorchJob", "g"), "lab/g"},
        Row{R"("labels": {})",
            "lab/w-workers",
            R"("workloadRef": {"name": "w", "podGroup": )"
            R"("workers"}, )"});
    CAPTURE(row.metadata);
    // One of the two finds a place beside the running pod, and waits for the other.
    Cluster cluster({pod({"busy", R"("labels": {})", "4", "a"}),
                     pod({"p", row.metadata, "4", "", "lab", row.spec}),
                     pod({"q", row.metadata, "4", "", "lab", row.spec})});
    CHECK(cluster.starts() == Starts{{"lab/busy", "0"}, {row.name, "3600"}});
}

TEST_CASE("pending groups: who keeps a number of pods has no group", "[cli][initial][groups]") {
    const std::string kind =
        GENERATE("ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController");
    Cluster cluster({pod({"busy", R"("labels": {})", "4", "a"}),
                     pod({"p", owned_by(kind, "g")}),
                     pod({"q", owned_by(kind, "g")})});
    CHECK(cluster.starts().size() == 3);
    CHECK_THAT(cluster.said, !Catch::Contains("pod group"));
}

TEST_CASE("pending groups: groups: no leaves each pod by itself", "[cli][initial][groups]") {
    Cluster cluster({pod({"busy", R"("labels": {})", "4", "a"}),
                     pod({"p", owned_by("Job", "g")}),
                     pod({"q", owned_by("Job", "g")})},
                    ", groups: no");
    CHECK(cluster.starts() == Starts{{"lab/busy", "0"}, {"lab/p", "0"}, {"lab/q", "3600"}});

    Cluster wrong({}, ", groups: yes");
    CHECK_THAT(wrong.berth({"validate", "state.yaml"}).first_line(),
               Catch::Contains("unknown groups 'yes': expected from-owners or no"));
}

TEST_CASE("pending groups: a group starts with as many as its PodGroup says",
          "[cli][initial][groups]") {
    const std::string member = label("scheduling.x-k8s.io/pod-group", "g");
    const std::string group = R"({"kind": "PodGroup", "metadata": {"name": "g", "namespace": )"
                              R"("lab"}, "spec": {"minMember": 2}})";
    // One of its pods already runs, so that one more is enough.
    Cluster cluster({pod({"r", member, "4", "a"}), pod({"p", member}), pod({"q", member}), group});
    CHECK(cluster.starts() == Starts{{"lab/r", "0"}, {"lab/g", "0"}});
    // The resolved experiment gives the same.
    Cluster again({});
    again.write("state.yaml", cluster.read("out/experiment.yaml"));
    CHECK(again.starts() == Starts{{"lab/r", "0"}, {"lab/g", "0"}});

    Cluster fewer({pod({"p", member}),
                   pod({"q", member}),
                   replaced(group, R"("minMember": 2)", R"("minMember": 3)")});
    CHECK(fewer.starts() == Starts{{"lab/g", "0"}});
    CHECK_THAT(fewer.said,
               Catch::Contains("warning: 1 job, the first 'lab/g', with fewer pods than start "
                               "together: it starts with those that are there"));
}

TEST_CASE("pending groups: pods of a job that ask for different things", "[cli][initial][groups]") {
    const auto member = [](const std::string& role) {
        return R"("labels": {"training.kubeflow.org/job-name": "g", )"
               R"("training.kubeflow.org/replica-type": ")" +
               role + R"("})";
    };
    Cluster cluster({pod({"g-master-0", member("master"), "1"}),
                     pod({"g-worker-0", member("worker"), "2"}),
                     pod({"g-worker-1", member("worker"), "2"})});
    CHECK(cluster.starts() == Starts{{"lab/g-master-0", "0"}, {"lab/g-worker", "0"}});
    CHECK_THAT(cluster.said,
               Catch::Contains("warning: 1 job, the first 'lab/g', with 3 pending pods that ask "
                               "for different things"));
    CHECK_THAT(cluster.said,
               Catch::Contains("warning: 1 job without a pod group, the first 'lab/g', with 2 "
                               "pending pods"));
}

TEST_CASE("pending groups: why takes a job's name without its namespace",
          "[cli][initial][groups][why]") {
    const std::string job = owned_by("Job", "train");
    Cluster cluster({pod({"busy", R"("labels": {})", "4", "a"}),
                     pod({"p", job}),
                     pod({"q", job}),
                     pod({"retrain", R"("labels": {})"}),
                     pod({"eval", R"("labels": {})", "1", "", "one"}),
                     pod({"eval", R"("labels": {})", "1", "", "two"})});
    (void)cluster.starts();
    const Answer answer = cluster.berth({"why", "out", "train"});
    CHECK(answer.status == 0);
    CHECK_THAT(answer.out, Catch::StartsWith("group lab/train of state"));
    CHECK_THAT(answer.err, Catch::Contains("'train' is lab/train, the only one of that name"));
    CHECK_THAT(cluster.berth({"why", "out", "train-1"}).out, Catch::StartsWith("group lab/train "));
    CHECK_THAT(cluster.berth({"why", "out", "eval"}).err,
               Catch::Contains("'eval' may be any of 2 pods and groups: expected the whole name of "
                               "one, such as one/eval, two/eval"));
}

TEST_CASE("pending groups: why counts none that ran before, and names what nobody can do last",
          "[cli][initial][groups][why]") {
    Cluster cluster({pod({"r", R"("labels": {})", "3", "a"}),
                     pod({"s", R"("labels": {})", "3", "b"}),
                     pod({"big", R"("labels": {})"})});
    (void)cluster.starts();
    const std::string told = done(cluster, {"why", "out", "big"});
    CHECK_THAT(told, !Catch::Contains("before its turn"));
    // One of the four GPUs is less than half: this change comes after all changes to others that
    // would suffice.
    const std::size_t less = told.find("it asks for 1 of nvidia.com/gpu instead of 4");
    const std::size_t leaves = told.find("lab/r has ended");
    REQUIRE(less != std::string::npos);
    REQUIRE(leaves != std::string::npos);
    CHECK(leaves < less);
}
