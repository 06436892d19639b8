// What pods that are resized in place count, compared with the count of a cluster's scheduler.

#include <catch2/catch.hpp>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// A cluster with one pod, whose container now asks for 2 CPUs.
std::string cluster(const std::string& spec, const std::string& status) {
    return R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "16"}}},
  {"kind": "Pod", "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z"},
   "spec": {"nodeName": "a", )" +
           spec +
           R"("containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]},
   "status": {)" +
           status + R"("phase": "Running", "startTime": "2026-01-01T00:00:00Z"}}]})";
}

std::string container(const std::string& has, const std::string& allocated) {
    return R"("containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": ")" + has +
           R"("}}, "allocatedResources": {"cpu": ")" + allocated + R"("}}], )";
}

const std::string infeasible =
    R"("conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}], )";
const std::string deferred =
    R"("conditions": [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}], )";

}  // namespace

TEST_CASE("resized pods: the most of what is asked for, granted and there counts",
          "[cli][initial][resize]") {
    struct Row {
        std::string what;
        std::string spec;
        std::string status;
        std::string demand;
    };
    const Row row = GENERATE(
        Row{"no resize", "", container("2", "2"), "cpu=2"},
        Row{"it grows", "", container("1", "1"), "cpu=2"},
        Row{"it shrinks, and has more as yet", "", container("4", "2"), "cpu=4"},
        Row{"it shrinks, and was granted more", "", container("2", "3"), "cpu=3"},
        Row{"it is to grow later", "", deferred + container("1", "1"), "cpu=2"},
        Row{"it cannot grow", "", infeasible + container("1", "1"), "cpu=1"},
        Row{"it cannot grow, as older versions say it",
            "",
            R"("resize": "Infeasible", )" + container("1", "1"),
            "cpu=1"},
        Row{"another container's status",
            "",
            R"("containerStatuses": [{"name": "x", "resources": {"requests": {"cpu": "9"}}}], )",
            "cpu=2"},
        Row{"an init container on its way is not resized",
            R"("initContainers": [{"name": "init", "resources": {"requests": {"cpu": "3"}}}], )",
            R"("initContainerStatuses": [{"name": "init", "resources": {"requests": {"cpu": )"
            R"("5"}}}], )",
            "cpu=3"},
        Row{"a sidecar is",
            R"("initContainers": [{"name": "init", "restartPolicy": "Always", "resources": )"
            R"({"requests": {"cpu": "3"}}}], )",
            R"("initContainerStatuses": [{"name": "init", "resources": {"requests": {"cpu": )"
            R"("5"}}}], )",
            "cpu=7"},
        Row{"the pod as a whole", R"("resources": {"requests": {"cpu": "6"}}, )", "", "cpu=6"},
        Row{"the pod as a whole shrinks",
            R"("resources": {"requests": {"cpu": "6"}}, )",
            R"("resources": {"requests": {"cpu": "7"}}, "allocatedResources": {"cpu": "6"}, )",
            "cpu=7"},
        Row{"the pod as a whole cannot grow",
            R"("resources": {"requests": {"cpu": "6"}}, )",
            infeasible + R"("resources": {"requests": {"cpu": "4"}}, )",
            "cpu=4"});
    CAPTURE(row.what);
    const Folder folder;
    folder.write("cluster.json", cluster(row.spec, row.status));
    const std::string source = GENERATE("running: {file: cluster.json}",
                                        "trace: {format: kubernetes, file: cluster.json}");
    CAPTURE(source);
    folder.write("state.yaml",
                 "kind: Experiment\nmetadata: {name: state}\nspec:\n"
                 "  topology: {nodes: {format: kubernetes, file: cluster.json}}\n"
                 "  workload: [{" +
                     source + "}]\n  until: 1d\n");
    (void)done(folder, {"run", "state.yaml", "-o", "out", "-q"});
    CHECK(csv_rows(folder.read("out/pods.csv")).at(0).at("demand") == row.demand);
    // The pod in the run directory counts the same.
    folder.write("again.yaml", folder.read("out/experiment.yaml"));
    (void)done(folder, {"run", "again.yaml", "-o", "again", "-q"});
    CHECK(csv_rows(folder.read("again/pods.csv")).at(0).at("demand") == row.demand);
}
