#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

/// Three pods and a group on one server: each replication is one row.
const std::string replications_a =
    "replication,seed,wait_s_mean,rack_used,cpu_utilization,lost\n"
    "0,1,10,1,0.5,1\n1,2,12,2,0.5,\n2,3,11,1,0.5,1\n3,4,13,1,0.5,1\n4,9,99,9,0.9,1\n";
const std::string replications_b =
    "replication,seed,wait_s_mean,rack_used,cpu_utilization,won\n"
    "0,1,5,2,0.5,1\n1,2,6.5,1,0.5,1\n2,3,5.2,2,0.5,1\n3,4,7.5,2,0.5,1\n";

const std::string pods_header =
    "replication,pod,group,submit_s,start_s,finish_s,wait_s,jct_s,node,outcome,reason\n";
const std::string groups_header =
    "replication,group,size,submit_s,start_s,finish_s,wait_s,rack_used,server_used\n";

/// Two runs whose tables are short enough to compare by eye.
void write_runs(const Folder& folder) {
    folder.write("a/replications.csv", replications_a);
    folder.write("b/replications.csv", replications_b);
    folder.write("a/pods.csv",
                 pods_header + "0,p,,0,0,10,0,10,s1,finished,\n" +
                     "0,q,,0,5,20,5,20,s2,finished,\n" + "0,only,,0,0,1,0,1,s1,finished,\n" +
                     "0,twice,,0,0,1,0,1,s1,finished,\n" + "0,twice,,0,7,9,7,9,s1,finished,\n" +
                     "0,g-0,g,0,1,9,1,9,s1,finished,\n0,g-1,g,0,1,9,1,9,s2,finished,\n" +
                     "0,h-0,h,0,1,9,1,9,s1,finished,\n0,h-1,h,0,1,9,1,9,s2,finished,\n" +
                     "1,p,,0,3,4,3,4,s1,finished,\n" + "4,p,,0,300,4,300,4,s1,finished,\n");
    folder.write("b/pods.csv",
                 pods_header + "0,q,,0,8,20,8,20,s1,finished,\n" +
                     "0,p,,0,,,,,,dropped,\"0/2 nodes are available: 2 Insufficient cpu.\"\n" +
                     "0,twice,,0,0,1,0,1,s1,finished,\n" + "0,twice,,0,7,9,7,9,s1,finished,\n" +
                     "0,g-0,g,0,,,,,,waiting,too few\n0,g-1,g,0,,,,,,waiting,too few\n" +
                     "0,h-0,h,0,1,9,1,9,s1,finished,\n0,h-1,h,0,,,,,,dropped,one too few\n" +
                     "1,p,,0,3,,3,,s2,running,\n");
    folder.write("a/groups.csv", groups_header + "0,g,2,0,1,9,1,1,2\n0,h,2,0,1,9,1,1,2\n");
    folder.write("b/groups.csv", groups_header + "0,g,2,0,,,,,\n0,h,2,0,1,9,1,1,1\n");
}

/// A sweep over the load and the policy, whose last point is not finished.
void write_sweep(const Folder& folder) {
    const std::string keys[] = {std::string(32, 'a'), std::string(32, 'b'), std::string(32, 'c')};
    folder.write("sweep/points.csv",
                 "point,key,load,policy\n0," + keys[0] + ",0.3,pack\n1," + keys[1] +
                     ",0.3,spread\n2," + keys[2] + ",0.6,pack\n");
    folder.write("sweep/points/" + keys[0] + "/replications.csv", replications_a);
    folder.write("sweep/points/" + keys[1] + "/replications.csv", replications_b);
}

}  // namespace

TEST_CASE("runs are compared seed by seed, and verdicts are in words", "[cli][compare]") {
    const Folder folder;
    write_runs(folder);
    CHECK(done(folder, {"compare", "a", "b", "-o", "c.csv"}).empty());
    const auto rows = csv_rows(folder.read("c.csv"));
    REQUIRE(rows.size() == 3);
    // -5, -5.5, -5.8, -5.5: t(0.975, 3) = 3.182446.
    CHECK(rows[0].at("metric") == "wait_s_mean");
    CHECK(rows[0].at("pairs") == "4");
    CHECK(rows[0].at("baseline_mean") == "11.5");
    CHECK(rows[0].at("run_mean") == "6.05");
    CHECK(rows[0].at("difference") == "-5.45");
    CHECK(std::stod(rows[0].at("ci95_low")) == Approx(-5.45 - 3.182446 * 0.3316625 / 2));
    CHECK(std::stod(rows[0].at("effect")) == Approx(-5.45 / 0.3316625 * 8 / 11));
    // The wait is a headline number, and the racks belong to another family: each is alone in its
    // own.
    CHECK(rows[0].at("p_holm") == rows[0].at("p"));
    CHECK(rows[0].at("better") == "lower");
    CHECK(rows[0].at("verdict") == "better");
    CHECK(rows[1].at("metric") == "rack_used");
    CHECK(rows[1].at("verdict") == "no difference shown");
    CHECK(rows[2].at("metric") == "cpu_utilization");
    CHECK(rows[2].at("verdict") == "equal");
    CHECK(rows[2].at("p").empty());

    const std::string text = done(folder, {"compare", "a", "b"});
    CHECK_THAT(text,
               Catch::StartsWith("b against a, the baseline: 4 pairs of replications by seed\n"));
    CHECK_THAT(text,
               Catch::Contains("left out, since their seeds are not in both: 1 replication of"));
    CHECK_THAT(text, Catch::Contains("no difference shown: rack_used\n"));
    CHECK_THAT(text, Catch::Contains("1 metric equal in every pair\n"));
    CHECK_THAT(text, Catch::Contains("only in one of the runs: lost, won\n"));
    CHECK_THAT(text,
               Catch::Contains("Holm-corrected in two families of each pair of runs:\nthe headline "
                               "numbers (wait_s_mean, cpu_utilization), and\nthe other metrics;"));
    CHECK_THAT(done(folder, {"compare", "b", "a", "-m", "wait_s_mean"}), Catch::Contains("worse"));
    // A requested metric is shown with its interval, whatever the verdict.
    const std::string asked = done(folder, {"compare", "a", "b", "-m", "rack_used"});
    CHECK_THAT(asked, Catch::Contains("95 % interval"));
    CHECK_THAT(asked, Catch::Matches("(?:.|\n)*\n  rack_used .* no difference shown\n(?:.|\n)*"));
    CHECK_THAT(asked, !Catch::Contains("no difference shown: rack_used"));
}

TEST_CASE("the pods and groups whose fate changed most are named", "[cli][compare]") {
    const Folder folder;
    write_runs(folder);
    (void)done(folder, {"compare", "a", "b", "-o", "c.json"});
    const auto found = nlohmann::json::parse(folder.read("c.json"));
    CHECK(found.at("schema") == "berth.compare/v1");
    const auto& pods = found.at("comparisons").at(0).at("pods");
    CHECK(pods.at("both") == 9);
    CHECK(pods.at("baseline_only") == 1);
    CHECK(pods.at("run_only") == 0);
    CHECK(pods.at("waited_longer") == 1);
    CHECK(pods.at("moved") == 2);
    CHECK(pods.at("outcomes").size() == 3);
    // The dropped pod first, then the member that fared worse than its group, then the pod that
    // still runs.
    std::vector<std::string> names;
    for (const auto& change : pods.at("most_changed")) {
        names.push_back(change.at("name"));
    }
    CHECK(names == std::vector<std::string>{"p", "h-1", "p", "q"});
    const auto& first = pods.at("most_changed").at(0);
    CHECK(first.at("seed") == 1);
    CHECK(first.at("baseline").at("place") == "s1");
    CHECK(first.at("run").at("reason") == "0/2 nodes are available: 2 Insufficient cpu.");
    const auto& groups = found.at("comparisons").at(0).at("groups");
    CHECK(groups.at("both") == 2);
    CHECK(groups.at("moved") == 1);
    REQUIRE(groups.at("most_changed").size() == 1);
    CHECK(groups.at("most_changed").at(0).at("baseline").at("place") == "1 rack, 2 servers");
    CHECK(groups.at("most_changed").at(0).at("run").at("outcome") == "waiting");
    CHECK(groups.at("most_changed").at(0).at("run").at("reason") == "too few");
    CHECK_THAT(done(folder, {"compare", "a", "b", "--pods", "1"}),
               Catch::Contains("    p (replication 0, seed 1)\n      baseline: finished on s1, "
                               "waited 0 s, done after 10 s\n      this run: dropped: 0/2 nodes") &&
                   !Catch::Contains("h-1"));
}

TEST_CASE("points of a sweep are compared by their axes", "[cli][compare]") {
    const Folder folder;
    write_sweep(folder);
    const std::string text =
        done(folder, {"compare", "sweep:load=0.30,policy=pack", "sweep:policy=spread"});
    CHECK_THAT(text, Catch::StartsWith("sweep:policy=spread against sweep:load=0.30,policy=pack"));
    CHECK_THAT(text, Catch::Contains("better"));
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"sweep:lod=0.3", "unknown axis 'lod': expected load or policy (did you mean 'load'?)"},
        {"sweep:policy=spred",
         "no point has policy=spred: expected pack or spread (did you mean 'spread'?)"},
        {"sweep:load=0.6,policy=spread", "no point has policy=spread: expected pack"},
        {"sweep:load=0.3", "this is 2 points of 3: expected one, by policy=pack or spread"},
        {"sweep", "this is 3 points of 3: expected one, by load=0.3 or 0.6; policy=pack or spread"},
        {"sweep:load=0.6",
         "point 2 (load=0.6,policy=pack) is not finished: expected berth sweep to have computed "
         "it"},
        {"sweep:pack", "'pack': expected axis=value, axis=value"},
        {"nowhere",
         "no such run: expected a run directory, or a point of a sweep as DIR:axis=value,"
         "axis=value"}};
    for (const auto& [argument, message] : mistakes) {
        CAPTURE(argument);
        const Answer answer = folder.berth({"compare", argument, "sweep:policy=spread"});
        CHECK(answer.status == 2);
        CHECK(answer.err == argument + ": error: " + message + "\n");
    }
}

TEST_CASE("every point of a sweep is compared with a chosen one", "[cli][compare]") {
    const Folder folder;
    write_sweep(folder);
    const std::string text =
        done(folder, {"compare", "sweep", "--against", "policy=pack,load=0.3"});
    CHECK_THAT(text, Catch::StartsWith("wait_s_mean\n"));
    CHECK_THAT(text, Catch::Contains("load=0.3,policy=pack ") && Catch::Contains("the baseline"));
    CHECK_THAT(text, Catch::Contains("load=0.3,policy=spread ") && Catch::Contains("better"));
    CHECK_THAT(text, Catch::Contains("Holm-corrected in two families"));
    CHECK_THAT(text, !Catch::Contains("load=0.6"));  // that point is not finished
    CHECK_THAT(done(folder, {"compare", "sweep", "--against", "policy=spread", "-m", "rack_used"}),
               Catch::StartsWith("rack_used\n") && Catch::Contains("no difference shown"));
    const Answer several = folder.berth({"compare", "sweep", "sweep", "--against", "policy=pack"});
    CHECK(several.status == 2);
    CHECK(several.first_line() ==
          "berth compare: error: --against with 2 RUNs: expected one sweep's folder");
    write_runs(folder);
    const Answer run = folder.berth({"compare", "a", "--against", "policy=pack"});
    CHECK(run.status == 2);
    CHECK(run.first_line() ==
          "a: error: --against compares the points of a sweep: expected the folder of one");
}

TEST_CASE("a metric has one verdict, whatever else is compared", "[cli][compare]") {
    const Folder folder;
    write_runs(folder);
    const auto verdict_in = [&](const Arguments& arguments, const std::string& metric) {
        Arguments all = arguments;
        all.insert(all.end(), {"-o", "c.csv"});
        (void)done(folder, all);
        for (const auto& row : csv_rows(folder.read("c.csv"))) {
            if (row.at("run") == "b" && row.at("metric") == metric) {
                return row.at("p_holm") + " " + row.at("verdict");
            }
        }
        return std::string("none");
    };
    folder.write("third/replications.csv", replications_b);
    for (const char* metric : {"wait_s_mean", "rack_used", "cpu_utilization"}) {
        CAPTURE(metric);
        const std::string whole = verdict_in({"compare", "a", "b"}, metric);
        CHECK(whole != "none");
        CHECK(verdict_in({"compare", "a", "b", "-m", metric}, metric) == whole);
        CHECK(verdict_in({"compare", "a", "third", "b"}, metric) == whole);
    }
}

TEST_CASE("what cannot be compared is said in a line", "[cli][compare]") {
    const Folder folder;
    write_runs(folder);
    folder.write("other/replications.csv", "replication,seed,wait_s_mean\n0,77,1\n");
    folder.write("one/replications.csv", "replication,seed,wait_s_mean\n0,1,1\n");
    folder.write("empty/file", "");
    const auto fails = [&](const Arguments& arguments, const std::string& message) {
        const Answer answer = folder.berth(arguments);
        CHECK(answer.status == 2);
        CHECK(answer.out.empty());
        CHECK(answer.first_line() == message);
    };
    fails({"compare", "a", "other"},
          "other: error: no seed in common with a: expected runs with common seeds");
    fails({"compare", "a", "empty"},
          "empty: error: this is not a run directory: expected a folder with replications.csv");
    fails({"compare", "a"},
          "berth compare: error: one RUN: expected two or more, as in `berth compare "
          "out/first-fit out/best-fit`");
    fails({"compare", "a", "b", "-m", "wait_s_maen"},
          "--metric: error: unknown metric 'wait_s_maen': expected one of the runs' (did you mean "
          "'wait_s_mean'?)");
    fails({"compare", "a", "b", "-o", "c.pdf"},
          "c.pdf: error: unknown file ending: expected .csv, .json, .html or .txt");
    CHECK_THAT(
        done(folder, {"compare", "a", "one"}),
        Catch::Contains("one pair tells no difference from chance: expected two or more that "
                        "differ; a trace is drawn anew with bootstrap\n") &&
            Catch::Matches("(?:.|\n)*\n  wait_s_mean +10 +1 +-9\n(?:.|\n)*"));
}

TEST_CASE("replications that repeat each other give no verdict", "[cli][compare]") {
    const Folder folder;
    const std::string listed =
        "kind: Experiment\nmetadata: {name: listed}\nspec:\n  replications: 4\n"
        "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: node}], "
        "machineTypes: {node: {capacity: {cpu: 8}}}}}\n"
        "  types: {one: {cpu: 4}}\n"
        "  workload:\n"
        "    - pods:\n"
        "        - {name: a, type: one, lifetime: 10s}\n"
        "        - {name: b, type: one, lifetime: 20s}\n"
        "        - {name: c, type: one, lifetime: 30s}\n";
    folder.write("e.yaml", listed);
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "a"});
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "b", "--set", "spec.types.one.cpu=8"});
    const std::string text = done(folder, {"compare", "a", "b"});
    CHECK_THAT(text,
               Catch::Contains("all pairs are the same, and tell no difference from chance") &&
                   !Catch::Contains("worse"));
}

TEST_CASE("a report of runs with common seeds has their comparison", "[cli][compare]") {
    const Folder folder;
    folder.write("e.yaml", replaced(sound_experiment, "spec:\n", "spec:\n  replications: 3\n"));
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "a"});
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "b", "--set", "spec.types.small.cpu=8"});
    (void)done(folder, {"run", "e.yaml", "-q", "-o", "c", "--seed", "100"});
    const auto comparison_of = [&](const Arguments& arguments) {
        (void)done(folder, arguments);
        const std::string page = folder.read("page.html");
        const std::string open = "id=\"data\">";
        const std::size_t begin = page.find(open) + open.size();
        return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin))
            .at("comparison");
    };
    const auto found = comparison_of({"report", "./a/", "b", "-o", "page.html"});
    REQUIRE(found.at("comparisons").size() == 1);
    CHECK(found.at("comparisons")[0].at("run") == "b");
    CHECK(found.at("comparisons")[0].at("place") == 1);
    CHECK(found == comparison_of({"compare", "a", "b", "-o", "page.html"}));
    CHECK(comparison_of({"report", "a", "c", "-o", "page.html"}).is_null());  // no common seed
    // If there are three, none is the baseline of the others.
    CHECK(comparison_of({"report", "a", "b", "b", "-o", "page.html"}).is_null());
    CHECK(comparison_of({"report", "a", "-o", "page.html"}).is_null());
}
