// How long the pods of an existing cluster continue to run, and how they are counted.

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

std::string pod(const std::string& name,
                const std::string& kind,
                const std::string& spec = "",
                const std::string& status = R"("phase": "Running")") {
    return R"({"kind": "Pod", "metadata": {"name": ")" + name + R"(", "creationTimestamp": )" +
           R"("2026-01-01T00:00:00Z", "ownerReferences": [)" +
           (kind.empty() ? "" : R"({"kind": ")" + kind + R"(", "name": "o"})") +
           R"(]}, "spec": {"nodeName": "a", )" + spec +
           R"("containers": [{"resources": {"requests": {"cpu": "1"}}}]}, "status": {)" + status +
           "}}";
}

/// A pod that started at midnight and ended this many minutes later (two digits).
std::string ended(const std::string& name, const std::string& kind, const std::string& minutes) {
    const std::string status =
        R"("phase": "Succeeded", "startTime": "2026-01-01T00:00:00Z", "containerStatuses": )"
        R"([{"state": {"terminated": {"finishedAt": "2026-01-01T00:)" +
        minutes + R"(:00Z"}}}])";
    return pod(name, kind, "", status);
}

struct State : Folder {
    State(const std::vector<std::string>& pods,
          const std::string& lifetime,
          const std::string& more = "") {
        std::string list = R"({"kind": "List", "items": [{"kind": "Node", "metadata": {"name": )"
                           R"("a"}, "status": {"allocatable": {"cpu": "16"}}})";
        for (const std::string& one : pods) {
            list += ", " + one;
        }
        write("cluster.json", list + "]}");
        write("state.yaml",
              "kind: Experiment\nmetadata: {name: state}\nspec:\n"
              "  topology: {nodes: {format: kubernetes, file: cluster.json}}\n"
              "  types: {all: {cpu: 16}, one: {cpu: 1}}\n"
              "  workload:\n    - running: {file: cluster.json" +
                  (lifetime.empty() ? "" : ", lifetime: " + lifetime) + "}\n" + more +
                  "  until: 1d\n");
    }
    /// When each pod ends, in seconds; empty: it does not end.
    std::map<std::string, std::string> ends(const std::string& replication = "0") {
        const Answer answer = berth({"run", "state.yaml", "-o", "out", "-q"});
        CAPTURE(answer.err);
        CHECK(answer.status == 0);
        said = answer.err;
        std::map<std::string, std::string> out;
        for (const CsvRow& row : csv_rows(read("out/pods.csv"))) {
            if (row.at("replication") == replication) {
                out[row.at("pod")] = row.at("finish_s");
            }
        }
        return out;
    }
    std::string said;
};

using Ends = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("lifetimes: by the kind of owner and by priority class", "[cli][initial][lifetime]") {
    State state({pod("d", "DaemonSet"),
                 pod("r", "ReplicaSet"),
                 pod("s", "StatefulSet"),
                 pod("j", "Job"),
                 pod("p", ""),
                 pod("h", "Job", R"("priorityClassName": "high", )"),
                 pod("x", "PyTorchJob")},
                "{Job: 2h, StatefulSet: 3h, PyTorchJob: none, priorityClasses: {high: 30m}, "
                "otherwise: 1h}");
    const Ends ends{{"d", ""},
                    {"h", "1800"},
                    {"j", "7200"},
                    {"p", "3600"},
                    {"r", ""},
                    {"s", "10800"},
                    {"x", ""}};
    CHECK(state.ends() == ends);
    CHECK_THAT(
        state.said,
        Catch::Contains("warning: 2 pods of DaemonSets, ReplicaSets and other services go on "
                        "until the run ends"));
    CHECK_THAT(state.said, !Catch::Contains("one instant"));
    // The experiment kept in the run directory gives the same.
    State again({}, "");
    again.write("state.yaml", state.read("out/experiment.yaml"));
    CHECK(again.ends() == ends);
}

TEST_CASE("lifetimes: a run whose work ends with one instant says so", "[cli][initial][lifetime]") {
    State state({pod("a", "Job"), pod("b", ""), pod("c", "Deployment")}, "2h");
    CHECK(state.ends() == Ends{{"a", "7200"}, {"b", "7200"}, {"c", ""}});
    CHECK_THAT(state.said,
               Catch::Contains("state.yaml:7:47: warning: all 2 pods that run and end do so at one "
                               "instant, after 2 h; expected lifetimes by owner"));
    CHECK_THAT(State({pod("a", "Job")}, "2h").berth({"validate", "state.yaml"}).err,
               !Catch::Contains("one instant"));
}

TEST_CASE("lifetimes: no pod goes on for longer than its deadline", "[cli][initial][lifetime]") {
    State state({pod("a", "Job", R"("activeDeadlineSeconds": 600, )"),
                 pod("b", "Job", R"("activeDeadlineSeconds": 9000, )")},
                "2h");
    CHECK(state.ends() == Ends{{"a", "600"}, {"b", "7200"}});
    State without({pod("a", "Job", R"("activeDeadlineSeconds": 600, )")}, "");
    CHECK(without.ends() == Ends{{"a", "600"}});
}

TEST_CASE("lifetimes: drawn from the pods that have ended", "[cli][initial][lifetime]") {
    const std::string runs = R"("phase": "Running", "startTime": "2026-01-01T00:20:00Z")";
    State state({ended("e", "Job", "10"),
                 ended("f", "Job", "30"),
                 ended("g", "ReplicaSet", "50"),
                 pod("j", "Job", "", runs),
                 pod("k", "Job", "", runs),
                 pod("r", "ReplicaSet", "", runs)},
                "from-ended");
    state.write("state.yaml", state.read("state.yaml") + "  replications: 20\n");
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i) {
        const Ends ends = state.ends(std::to_string(i));
        REQUIRE(ends.size() == 3);
        CHECK(ends.at("r").empty());
        seen.insert(ends.at("j"));
        seen.insert(ends.at("k"));
    }
    // The list was made at 00:50, when these pods had run for as long as the longest one.
    CHECK(seen == std::set<std::string>{"600", "1800"});
    State again({}, "");
    again.write("state.yaml", state.read("out/experiment.yaml"));
    CHECK(again.ends("7") == state.ends("7"));
}

TEST_CASE("lifetimes: what is drawn goes on from where the pod is", "[cli][initial][lifetime]") {
    // At 00:30, the last instant known from the list, it has run for 25 minutes.
    State state({ended("e", "Job", "10"),
                 ended("f", "Job", "30"),
                 pod("j", "Job", "", R"("phase": "Running", "startTime": "2026-01-01T00:05:00Z")")},
                "{Job: from-ended}");
    CHECK(state.ends() == Ends{{"j", "300"}});
}

TEST_CASE("lifetimes: what cannot be meant is said where it stands",
          "[cli][initial][lifetime][bad-input]") {
    const auto said = [](const std::string& lifetime) {
        return State({pod("a", "Job")}, lifetime).berth({"validate", "state.yaml"}).first_line();
    };
    CHECK(said("soon") ==
          "state.yaml:7:47: error: found 'soon': expected none, from-ended or a duration such as "
          "10ms, 10s, 5m, 24h or 7d");
    CHECK_THAT(said("{Job: 2}"), Catch::Contains("expected none, from-ended or a duration with "));
    CHECK_THAT(said("{Jobs: 2h}"),
               Catch::EndsWith("warning: no pod of the file belongs to a 'Jobs': expected Job (did "
                               "you mean 'Job'?)"));
    CHECK_THAT(said("from-ended"),
               Catch::Contains("error: a pod of a Job has a lifetime from-ended, and the file has "
                               "no pod that has ended and says when"));
}

TEST_CASE("lifetimes: pods that ran when the run began count in no statistic of waits",
          "[cli][initial][lifetime]") {
    State state(
        {pod("a", ""), pod("b", "")},
        "2h",
        "    - pods: [{name: new, type: all, lifetime: 1h}, {name: late, type: one, at: 4h, "
        "lifetime: 1h}]\n");
    (void)state.ends();
    const auto summary = nlohmann::json::parse(state.read("out/summary.json"));
    // The new pod waits for two hours, the late one not at all.
    const auto mean = [&](const std::string& name) {
        return summary.at("metrics").at(name).at("mean").get<double>();
    };
    CHECK(mean("job_wait_s_mean") == 3600);
    CHECK(mean("wait_s_mean") == 3600);
    CHECK(mean("job_wait_s_p50") == 0);
    CHECK(mean("pods_submitted") == 4);
    CHECK(mean("pods_finished") == 4);
}
