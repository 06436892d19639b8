#include "experiments/program/results/run_directory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/support/source.hpp"
#include "tests/support/folder.hpp"

using namespace berth;
namespace fs = std::filesystem;

namespace {

const fs::path tiny = BERTH_SOURCE_DIR "/tests/browser/data/tiny-run";

/// A folder of the test's own, which is removed at the end.
class Folder : public tests::TestFolder {
public:
    /// The error of reading the folder, without the folder's own name; empty: none.
    [[nodiscard]] std::string error() const {
        try {
            (void)report::read_run_directory(path());
        } catch (const core::InputError& error) {
            std::string text = error.what();
            const std::size_t at = text.find(path().string());
            return at == std::string::npos ? text : text.substr(at + path().string().size());
        }
        return "";
    }
};

const std::string summary = R"({"schema": "berth.summary/v1", "experiment": "x", "metrics": {}})";

}  // namespace

TEST_CASE("run directory: all files come together", "[report][run]") {
    const report::RunDirectory run = report::read_run_directory(tiny);
    CHECK(run.directory == "tiny-run");
    CHECK(run.replications == 3);
    REQUIRE(run.claims.size() == 2);
    CHECK(run.claims[0].holds);
    CHECK_FALSE(run.claims[1].holds);
    REQUIRE(run.metrics.size() == 4);
    CHECK(run.metrics[0].name == "server_used");  // in the order of the file
    CHECK(run.metrics[0].ci95 == 2.4841);
    REQUIRE(run.replication_samples.size() == 4);
    CHECK(run.replication_samples[2].values == std::vector<double>{20, 0});  // an empty cell
    CHECK(run.series.columns.size() == 3);
    CHECK(run.series.replications.size() == 3);
    CHECK(run.pods.outcomes.at("finished") == 9);
    CHECK(run.pods.outcomes.at("waiting") == 3);
    CHECK(run.pods.reasons.size() == 1);
    CHECK(run.groups.rows.size() == 2);
    CHECK(run.configuration.starts_with("apiVersion"));
}

TEST_CASE("run directory: the cluster holds the groups of replication 0", "[report][run]") {
    const report::RunDirectory run = report::read_run_directory(tiny);
    REQUIRE(run.cluster);
    CHECK(run.cluster->levels == std::vector<std::string>{"room", "rack"});
    CHECK(run.cluster->leaf == "server");
    CHECK(run.cluster->resources == std::vector<std::string>{"cpu", "memory"});
    CHECK(run.cluster->cells.size() == 12);
    REQUIRE(run.cluster->views.size() == 3);
    CHECK(run.cluster->views[0].count == 9);
    CHECK(run.cluster->views[1].label == "ring");
    CHECK(run.cluster->views[2].label == "tree, wide");
    CHECK(run.cluster->views[2].time_s == 120);
    CHECK(run.cluster->views[2].members[0].amount[0] == 12);  // three of four cores
}

TEST_CASE("run directory: summary.json alone is enough", "[report][run]") {
    const Folder folder;
    folder.write("summary.json", summary);
    const report::RunDirectory run = report::read_run_directory(folder.path());
    CHECK(run.experiment == "x");
    CHECK_FALSE(run.cluster);
    CHECK(run.series.replications.empty());
}

TEST_CASE("run directory: what is wrong is told with its place", "[report][run]") {
    const auto [what, file, text, message] =
        GENERATE(table<std::string, std::string, std::string, std::string>({
            {"no JSON",
             "summary.json",
             "{\n  \"schema\": oops}",
             "/summary.json:2:13: error: this is not JSON: expected what `berth run` wrote"},
            {"a number beyond a double",
             "summary.json",
             R"({"schema": "berth.summary/v1", "metrics": {"a": {"mean": 1e999}}})",
             "/summary.json: error: a number has no room: expected at most 1.7e308"},
            {"another schema",
             "summary.json",
             "{\"schema\": \"x\"}",
             "/summary.json: error: expected an object with"},
            {"a claim without verdict",
             "summary.json",
             R"({"schema": "berth.summary/v1", "claims": [{"text": "a"}]})",
             "/summary.json: error: a claim"},
            {"a metric as text",
             "summary.json",
             R"({"schema": "berth.summary/v1", "metrics": {"a": {"mean": "b"}}})",
             "/summary.json: error: 'mean'"},
            {"time goes back",
             "timeseries.csv",
             "replication,time_s,a\n0,5,1\n0,4,1\n",
             "/timeseries.csv:3:3: error: the time goes back"},
            {"no number",
             "replications.csv",
             "replication,seed,a\n0,1,z\n",
             "/replications.csv:2:5: error: 'z'"},
            {"half a replication",
             "timeseries.csv",
             "replication,time_s,a\n0.5,5,1\n",
             "/timeseries.csv:2:1: error: '0.5': expected a whole number"},
            {"no resource", "nodes.csv", "node,rack\na,b\n", "/nodes.csv:1:1: error: no resource"},
            {"no background",
             "nodes.csv",
             "node,cpu_capacity\na,1\n",
             "/nodes.csv:1:1: error: no column 'cpu_background'"},
            {"a node twice",
             "nodes.csv",
             "node,cpu_capacity,cpu_background\na,1,0\na,1,0\n",
             "/nodes.csv:3:1: error: the node 'a' stands here twice"},
            {"more than any run has",
             "nodes.csv",
             "node,cpu_capacity,cpu_background\na,3e18,0\nb,3e18,0\n",
             "/nodes.csv:3:3: error: '3e18': expected from 0 on, and less than 2^62"},
            {"less than nothing",
             "nodes.csv",
             "node,cpu_capacity,cpu_background\na,-1,0\n",
             "/nodes.csv:2:3: error: '-1': expected from 0 on"},
            {"a number beyond all uses",
             "replications.csv",
             "replication,seed,a\n0,1,1e101\n",
             "/replications.csv:2:5: error: '1e101'"},
            {"a wrong demand",
             "groups.csv",
             "replication,group,demand\n0,g,cpu=x\n",
             "/groups.csv:2:5: error: 'cpu=x'"},
            {"no group column",
             "groups.csv",
             "replication,size\n0,3\n",
             "/groups.csv:1:1: error: no column 'group'"},
        }));
    CAPTURE(what);
    const Folder folder;
    folder.write("summary.json", summary);
    folder.write(file, text);
    CHECK_THAT(folder.error(), Catch::StartsWith(message));
}

TEST_CASE("run directory: a pod must be on a node that is there", "[report][run]") {
    const Folder folder;
    folder.write("summary.json", summary);
    folder.write("nodes.csv", "node,cpu_capacity,cpu_background\na,1,0\n");
    folder.write(
        "pods.csv",
        "replication,pod,group,start_s,finish_s,node,outcome,reason\n0,p,,0,,b,running,\n");
    CHECK_THAT(folder.error(),
               Catch::StartsWith("/pods.csv:2:9: error: 'b': expected a node of nodes.csv"));
}

TEST_CASE("run directory: a pod's own demand goes before its group's", "[report][run]") {
    const Folder folder;
    folder.write("summary.json", summary);
    folder.write("nodes.csv", "node,cpu_capacity,cpu_background\na,16,0\n");
    folder.write("groups.csv", "replication,group,demand\n0,g,cpu=2\n");
    folder.write("pods.csv",
                 "replication,pod,group,start_s,finish_s,node,outcome,reason,demand\n"
                 "0,p,g,0,,a,running,,\n0,q,g,0,,a,running,,cpu=5 memory=3\n");
    const report::RunDirectory run = report::read_run_directory(folder.path());
    REQUIRE(run.cluster);
    CHECK(run.cluster->views[0].members[0].amount == std::vector<double>{7});
}

TEST_CASE("run directory: another folder is refused", "[report][run]") {
    const Folder folder;
    CHECK_THAT(folder.error(), Catch::StartsWith(": error: this is not a run directory"));
}

TEST_CASE("run directory: pods that wait and run at the end have times of which the least is known",
          "[report][run]") {
    const Folder folder;
    folder.write("summary.json", summary);
    folder.write("replications.csv", "replication,end_s\n0,100\n1,50\n");
    folder.write("evictions.csv", "replication,time_s,pod,ran_s\n0,40,back,20\n0,50,back,5\n");
    folder.write(
        "pods.csv",
        "replication,pod,group,submit_s,start_s,finish_s,wait_s,jct_s,node,outcome,reason\n"
        "0,done,,0,10,30,10,30,,finished,\n"
        "0,runs,,40,60,,20,,,running,\n"
        "0,back,,10,,,,,,waiting,no place\n"
        "0,gone,,10,,,,,,dropped,no place\n"
        "1,late,,45,,,,,,waiting,no place\n");
    const report::RunDirectory run = report::read_run_directory(folder.path());
    REQUIRE(run.pod_samples.size() == 2);
    CHECK(run.pod_samples[0].values == std::vector<double>{10, 20});
    CHECK(run.pod_samples[0].going_on == std::vector<double>{65, 5});  // 100 - 10 - 25, 50 - 45
    CHECK(run.pod_samples[0].never_started_share() == 0.4);            // gone and late
    CHECK(run.pod_samples[1].values == std::vector<double>{30});
    CHECK(run.pod_samples[1].going_on == std::vector<double>{60, 90, 5});
}
