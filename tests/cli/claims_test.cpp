// Claims: what they state, what a run says about them, and the page of several runs that carry
// some.

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;
using nlohmann::json;

namespace {

/// Four members that each take a quarter of a server, packed into one of two racks.
const std::string packed = R"(kind: Experiment
metadata: {name: packed}
spec:
  topology:
    spec:
      levels: [{name: rack, count: 2}, {name: server, count: 3}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 16}}}
  types:
    quarter: {cpu: 4}
  workload:
    - groups:
        - document:
            kind: GroupPlacement
            spec:
              group: {name: g, size: 5, type: quarter}
              constraints: [{level: rack, affinity: pack, soft: true}]
          at: 10m
          lifetime: 2h
  scheduler: {profile: {placementGroup: {solver: greedy}}}
)";

std::string with_claims(const std::string& claims) {
    return packed + "  claims:\n" + claims;
}

const std::string two_figures =
    "    - {members: rack, published: {rack-0: 5}, text: by rack, source: slide 3}\n"
    "    - {members: server, published: [4, 1], text: by server}\n";

json claims_of(const Folder& folder, const std::string& run) {
    return json::parse(folder.read(run + "/summary.json")).at("claims");
}

/// The data of page.html.
json page_data(const Folder& folder) {
    const std::string page = folder.read("page.html");
    const std::string mark = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(mark) + mark.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Runs the packed experiment with these claims.
void run(const Folder& folder,
         const std::string& name,
         const std::string& claims,
         const Arguments& more = {}) {
    folder.write(name + ".yaml", claims.empty() ? packed : with_claims(claims));
    Arguments arguments{"run", name + ".yaml", "-q", "-o", name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    (void)done(folder, arguments);
}

/// Changes the cluster and the work.
const Arguments another_question{
    "--set", "spec.topology.spec.levels[rack].count=4", "--set", "spec.types.quarter.cpu=2"};

}  // namespace

TEST_CASE("claims: what a figure shows is kept beside what was measured", "[cli][claims]") {
    const Folder folder;
    run(folder, "a", two_figures);
    const json claims = claims_of(folder, "a");
    CHECK(claims[0] == json{{"text", "by rack"},
                            {"expected", "5"},
                            {"measured", "5"},
                            {"holds", true},
                            {"source", "slide 3"},
                            {"figure",
                             {{"level", "rack"},
                              {"by", "node"},
                              {"published", {{"rack-0", 5}}},
                              {"measured", {{"rack-0", 5}}}}}});
    CHECK_FALSE(claims[1].contains("source"));
    CHECK(claims[1]["figure"] == json{{"level", "server"},
                                      {"by", "members"},
                                      {"published", {{"4", 1}, {"1", 1}}},
                                      {"measured", {{"4", 1}, {"1", 1}}}});
}

TEST_CASE("claims: a figure that is not met fails, and shows both sides", "[cli][claims]") {
    const Folder folder;
    run(folder, "a", "    - {members: rack, published: {rack-1: 3, rack-0: 2}}\n");
    const json claim = claims_of(folder, "a")[0];
    CHECK(claim["holds"] == false);
    CHECK(claim["expected"] == "3 + 2");
    CHECK(claim["measured"] == "5");
    CHECK(claim["figure"]["published"] == json{{"rack-1", 3}, {"rack-0", 2}});
    CHECK(claim["figure"]["measured"] == json{{"rack-0", 5}});
}

TEST_CASE("claims: both sides have one unit", "[cli][claims]") {
    const Folder folder;
    run(folder,
        "a",
        "    - {metric: jct_s_mean, expected: [7000, 7300], text: two hours}\n"
        "    - {metric: jct_s_mean, expected: 7200}\n"
        "    - {metric: wait_s_mean, expected: [0, 90]}\n"
        "    - {metric: rack_used, expected: 1}\n");
    const json claims = claims_of(folder, "a");
    CHECK(claims[0]["expected"] == "1.944 to 2.028 h");
    CHECK(claims[0]["measured"] == "2 h");
    CHECK(claims[1]["expected"] == "2 h");
    CHECK(claims[2]["expected"] == "0 to 90 s");
    CHECK(claims[2]["measured"] == "0 s");
    CHECK(claims[3]["expected"] == "1");
    for (const json& claim : claims) {
        CHECK(claim["holds"] == true);
    }
}

TEST_CASE("claims: a mistake in what was published is refused", "[cli][claims][bad-input]") {
    const auto claim = [](const std::string& text) { return "    - {" + text + "}\n"; };
    check_mistakes(
        "run",
        with_claims(claim("members: rack, published: {rack-0: 5}")),
        {{"both",
          "published: {rack-0: 5}",
          "published: {rack-0: 5}, expected: [5]",
          "22:34: error: published and expected are both given: expected one of them"},
         {"subject",
          "members: rack",
          "nodes: rack",
          "22:32: error: published cannot be used in a claim that is not about members: expected "
          "the key expected instead"},
         {"node",
          "{rack-0: 5}",
          "{rack-7: 5}",
          "22:35: error: unknown rack 'rack-7': expected one of the cluster's (did you mean "
          "'rack-0'?)"},
         {"nothing",
          "{rack-0: 5}",
          "5",
          "22:34: error: found '5': expected counts by node, such as {rack-13: 108, rack-14: 12}, "
          "or a list of them, such as [8x10, 7x2]"}});
}

TEST_CASE("claims: a page of several runs begins with how many hold", "[cli][claims]") {
    const Folder folder;
    run(folder, "a", two_figures);
    run(folder, "b", "    - {metric: rack_used, expected: 2, text: racks used}\n");
    const Answer answer =
        folder.berth({"report", "a", "b", "-o", "page.html", "--title", "Five slides"});
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
    CHECK(answer.out ==
          "2 of 3 claims hold\n"
          "  does not hold: b: racks used: expected 2, measured 1\n"
          "wrote page.html: open it in a browser\n");
    const json data = page_data(folder);
    CHECK(data["index"] == true);
    CHECK(data["title"] == "Five slides");
    CHECK_FALSE(data.contains("verdicts"));
    CHECK(data["runs"][0]["claims"] == claims_of(folder, "a"));
    CHECK(data["runs"][1]["answer"]["broken"][0] == "racks used: expected 2, measured 1");
    // A comparison that was requested remains a comparison.
    (void)done(folder, {"compare", "a", "b", "-o", "page.html"});
    CHECK_FALSE(page_data(folder).contains("index"));
}

TEST_CASE("claims: one claim, and a run without any", "[cli][claims]") {
    const Folder folder;
    run(folder, "a", "    - {metric: rack_used, expected: 1}\n");
    CHECK(done(folder, {"report", "a", "-o", "page.html"}) ==
          "1 of 1 claim holds\nwrote page.html: open it in a browser\n");
    CHECK_FALSE(page_data(folder).contains("index"));
    run(folder, "none", "");
    const Answer answer = folder.berth({"report", "a", "none", "-o", "page.html"});
    CHECK(answer.status == 0);
    CHECK(answer.err ==
          "none: warning: no claims here, where other runs have some, so that the page only lists "
          "the numbers: write spec.claims into the experiment and run it again\n");
    CHECK(page_data(folder)["index"] == true);
    CHECK(done(folder, {"report", "none", "-o", "page.html"}) ==
          "wrote page.html: open it in a browser\n");
}

TEST_CASE("claims: what expect says is no claim", "[cli][claims]") {
    const Folder folder;
    for (const std::string name : {"a", "b"}) {
        folder.write(name + ".yaml", packed + "  expect: {rack_used: 1}\n");
        (void)done(folder, {"run", name + ".yaml", "-q", "-o", name});
    }
    CHECK(done(folder, {"report", "a", "b", "-o", "page.html"}) ==
          "wrote page.html: open it in a browser\n");
    const json data = page_data(folder);
    CHECK_FALSE(data.contains("index"));
    CHECK(data["verdicts"].size() == 1);
    CHECK(data["runs"][0]["claims"][0]["expectation"] == true);
}

TEST_CASE("report: runs of different questions are listed, and not compared", "[cli][claims]") {
    const Folder folder;
    const Arguments twice{"--set", "spec.replications=2"};
    run(folder, "a", "", twice);
    Arguments other = another_question;
    other.insert(other.end(), twice.begin(), twice.end());
    run(folder, "b", "", other);
    const Answer answer = folder.berth({"report", "a", "b", "-o", "page.html"});
    CHECK(answer.status == 0);
    CHECK(answer.err ==
          "a and 1 more: warning: their workloads differ, and so do their clusters, so that the "
          "page lists the runs and compares none: berth compare A B compares two all the same\n");
    const json data = page_data(folder);
    CHECK(data["index"] == true);
    CHECK(data["comparison"].is_null());
    CHECK_FALSE(data.contains("verdicts"));
}

TEST_CASE("report: a run of another version says how it is made anew", "[cli][claims]") {
    const Folder folder;
    run(folder, "a", "");
    json manifest = json::parse(folder.read("a/manifest.json"));
    const std::string version = manifest.at("version");
    manifest["version"] = "0.0.1";
    folder.write("a/manifest.json", manifest.dump());
    const Answer answer = folder.berth({"report", "a", "-o", "page.html"});
    CHECK(answer.status == 0);
    CHECK(answer.err == "a: warning: made by berth 0.0.1, and this is berth " + version +
                            ", so that the page may lack what the runs did not write yet: berth "
                            "run a/experiment.yaml makes a run anew\n");
}
