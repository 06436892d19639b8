// berth calibrate: recorded and simulated starts side by side, on traces small enough to compute
// by hand; what could explain the differences; and wrong inputs.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

using Json = nlohmann::json;

/// An experiment that runs jobs.csv, first come, first served, on one server of four CPUs.
std::string experiment(const std::string& changes = "", const std::string& more = "") {
    return "kind: Experiment\nmetadata: {name: month}\nspec:\n"
           "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: node}], "
           "machineTypes: {node: {capacity: {cpu: 4, memory: 8Gi}}}}}\n"
           "  workload: [{trace: {format: csv, file: jobs.csv}" +
           changes +
           "}]\n"
           "  scheduler: {profile: {queueSort: fcfs}}\n" +
           more;
}

/// Two jobs need the whole server. The recording keeps the second one 100 s longer than needed.
constexpr const char* two_jobs =
    "name,user,queue,submit,start,finish,cpu\n"
    "a,anna,short,0,0,100,4\n"
    "b,bert,long,10,200,300,4\n";

Json calibrated(const Folder& folder, const Arguments& more = {}) {
    Arguments arguments{"calibrate", "month.yaml", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Answer answer = folder.berth(arguments);
    INFO(answer.err);
    REQUIRE(answer.status == 0);
    return Json::parse(answer.out);
}

Json causes_of(const Folder& folder) {
    return calibrated(folder, {"--explain", "0"}).at("causes");
}

std::string refused(const Folder& folder, const std::string& text) {
    folder.write("month.yaml", text);
    const Answer answer = folder.berth({"calibrate", "month.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.out.empty());
    const std::string mark = "error: ";
    const std::size_t from = answer.err.find(mark);
    REQUIRE(from != std::string::npos);
    const std::string line = answer.err.substr(from + mark.size());
    return line.substr(0, line.find('\n'));
}

}  // namespace

TEST_CASE("calibrate: waits in the recording and in the run", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", two_jobs);
    folder.write("month.yaml", experiment());
    const Json result = calibrated(folder);
    const Json& all = result.at("all");
    CHECK(all.at("jobs") == 2);
    CHECK(all.at("recorded_mean_s") == 95);
    CHECK(all.at("simulated_mean_s") == 45);
    CHECK(all.at("bias").get<double>() == Approx(90.0 / 190 - 1));
    CHECK(all.at("bias_ci95").is_null());
    CHECK(all.at("within") == Json({0.5, 1.0, 1.0}));
    CHECK(all.at("rank_correlation") == 1.0);
    CHECK(result.at("groups").at(0).at("by") == "user");
    CHECK(result.at("groups").at(0).at("rows").at(0).at("label") == "anna");
    CHECK(result.at("largest").size() == 1);
    CHECK(result.at("largest").at(0).at("job") == "b");
    CHECK(result.at("largest").at(0).at("start_s") == 100);
    CHECK(result.at("largest").at(0).at("why").get<std::string>().starts_with("It waited 90 s"));
}

TEST_CASE("calibrate: text quotes a number, and a table has a row for each job", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", two_jobs);
    folder.write("month.yaml", experiment());
    const Answer answer = folder.berth({"calibrate", "month.yaml", "-o", "starts.csv"});
    REQUIRE(answer.status == 0);
    CHECK(
        answer.out.starts_with("month: mean wait 53 % too short; 100 % of 2 jobs start within 10 "
                               "min of the recorded start\n"
                               "  (no intervals: they need jobs on at least 10 days)\n"));
    const auto rows = csv_rows(folder.read("starts.csv"));
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].at("partition") == "long");
    CHECK(rows[1].at("recorded_start_s") == "200");
    CHECK(rows[1].at("start_s") == "100");
}

TEST_CASE("calibrate: a picture shows both courses", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", two_jobs);
    folder.write("month.yaml", experiment());
    REQUIRE(folder.berth({"calibrate", "month.yaml", "-o", "month.svg"}).status == 0);
    const std::string picture = folder.read("month.svg");
    CHECK(picture.find("<svg") != std::string::npos);
    for (const char* words : {"In use over time", "recording"}) {
        CHECK(picture.find(words) != std::string::npos);
    }
}

TEST_CASE("calibrate: the jobs of a run agree with themselves, also groups and namesakes",
          "[cli]") {
    const Folder folder;
    std::string jobs = "name,user,queue,submit,start,finish,cpu,members\n";
    // Every 100 s a group of two and a single job, all called the same; the third has to wait.
    for (int i = 0; i < 400; ++i) {
        const int at = 5000 * i;
        jobs += fmt::format("twin,u{0},q,{1},{1},{2},2,2\n", i % 3, at, at + 1000);
        jobs += fmt::format("twin,u{0},q,{1},{2},{3},3,1\n", i % 3, at + 10, at + 1000, at + 1500);
    }
    folder.write("jobs.csv", jobs);
    folder.write("month.yaml", experiment());
    const Json result = calibrated(folder);
    CHECK(result.at("all").at("bias") == 0);
    CHECK(result.at("all").at("within") == Json({1.0, 1.0, 1.0}));
    CHECK(result.at("all").at("within_10m_ci95") == Json({1.0, 1.0}));
    CHECK(result.at("all").at("bias_ci95") == Json({0.0, 0.0}));
    CHECK(result.at("use").at("distance") == 0);
    CHECK(result.at("use").at("recorded").at(0).get<double>() == Approx(14'200.0 / 43'200));
    CHECK(result.at("causes").empty());
    CHECK(result.at("largest").empty());
    CHECK(result == calibrated(folder, {"-j", "2"}));
}

TEST_CASE("calibrate: a user who is held although there is room", "[cli]") {
    const Folder folder;
    std::string jobs = "name,user,submit,start,finish,cpu\n";
    for (int i = 0; i < 20; ++i) {
        const int at = 10'000 * i;
        jobs += fmt::format("a{},anna,{},{},{},1\n", i, at, at, at + 100);
        jobs += fmt::format("b{},bert,{},{},{},1\n", i, at, at + 1800, at + 1900);
    }
    folder.write("jobs.csv", jobs);
    folder.write("month.yaml", experiment());
    const Json causes = causes_of(folder);
    REQUIRE(causes.size() == 1);
    CHECK(causes.at(0).at("name") == "room-but-waits");
    CHECK(causes.at(0).at("count") == 20);
    CHECK(causes.at(0).at("text").get<std::string>().starts_with(
        "20 of the 20 jobs that the recording starts over 10 min later than the run had room there "
        "when the run starts them; 100 % of them are of user bert, which has 50 % of all jobs: "));
}

TEST_CASE("calibrate: a cluster that is too small, another order, and an outage", "[cli]") {
    const Folder folder;
    folder.write("month.yaml", experiment());
    SECTION("more in use than the cluster has") {
        folder.write("jobs.csv",
                     "name,submit,start,finish,cpu\n"
                     "a,0,0,100,4\n"
                     "b,10,10,110,2\n");
        const Json causes = causes_of(folder);
        REQUIRE(causes.size() == 1);
        CHECK(causes.at(0).at("name") == "missing-capacity");
        CHECK(causes.at(0).at("text") ==
              "the recording has up to 6 of cpu in use at once, and the cluster of the experiment "
              "has 4: its topology lacks servers");
    }
    SECTION("the last to arrive starts first") {
        folder.write("jobs.csv",
                     "name,submit,start,finish,cpu\n"
                     "a,0,0,100,4\n"
                     "b,10,300,400,4\n"
                     "c,20,200,300,4\n"
                     "d,30,100,200,4\n");
        const Json causes = causes_of(folder);
        REQUIRE(causes.size() == 1);
        CHECK(causes.at(0).at("name") == "other-order");
        CHECK(causes.at(0).at("count") == 2);
    }
    SECTION("nothing starts for hours") {
        folder.write("jobs.csv",
                     "name,submit,start,finish,cpu\n"
                     "a,0,0,100,4\n"
                     "b,10,20000,20100,4\n"
                     "c,20,20100,20200,4\n");
        const Json causes = causes_of(folder);
        REQUIRE(causes.size() == 2);
        CHECK(causes.at(0).at("name") == "room-but-waits");
        CHECK(causes.at(1).at("name") == "standstill");
        CHECK(causes.at(1).at("count") == 1);
    }
}

TEST_CASE("calibrate: jobs that cannot be compared are counted", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "name,submit,start,finish,run_time,cpu\n"
                 "a,0,0,100,,4\n"
                 "b,10,,,50,4\n"
                 "c,500,500,600,,4\n"
                 "d,900,900,950,,9\n");
    folder.write("month.yaml", experiment("", "  record: {to: 800s}\n"));
    const Json result = calibrated(folder);
    CHECK(result.at("without_start") == 1);
    CHECK(result.at("outside_window") == 1);
    CHECK(result.at("all").at("jobs") == 2);
    folder.write("month.yaml", experiment());
    const Json whole = calibrated(folder);
    CHECK(whole.at("all").at("unstarted") == 1);
    CHECK(whole.at("all").at("within").at(2).get<double>() == Approx(2.0 / 3));
    CHECK(whole.at("largest").at(0).at("start_s").is_null());
}

TEST_CASE("calibrate: what cannot be compared at all is refused", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv", two_jobs);
    CHECK(refused(folder, experiment(", rate: 2, durations: 0.5")) ==
          "the run's jobs are not those that were recorded: leave out rate, durations to compare "
          "them");
    CHECK(refused(folder, experiment("", "  record: {from: 1000s}\n")) ==
          "no job can be compared: 2 arrive outside of spec.record's window, 0 have no recorded "
          "start, 0 start before they were submitted");
    folder.write("jobs.csv", "name,submit,run_time,cpu\na,0,10,1\n");
    CHECK(
        refused(folder, experiment()) ==
        "no job of the trace has both a submit time and a start: expected a trace that tells when "
        "its jobs started, such as sacct's");
    CHECK(
        refused(folder,
                "kind: Experiment\nmetadata: {name: month}\nspec:\n"
                "  topology: {spec: {levels: [{name: server, count: 1}], machines: [{type: node}], "
                "machineTypes: {node: {capacity: {cpu: 4}}}}}\n"
                "  types: {small: {cpu: 1}}\n"
                "  workload: [{pods: [{name: a, type: small, lifetime: 1s}]}]\n")
            .starts_with("no workload of it is a trace"));
    folder.write("month.yaml", experiment());
    const Answer answer = folder.berth({"calibrate", "month.yaml", "-o", "starts.txt"});
    CHECK(answer.status == 2);
    CHECK(answer.first_line() ==
          "starts.txt: error: expected a name that ends in .html for a page, .svg for a picture, "
          ".csv for a row for each job or .json for all of it");
}

TEST_CASE("calibrate: jobs of one name in two traces are those that arrive in that order",
          "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "name,user,queue,submit,start,finish,cpu\n"
                 "twin,anna,short,0,0,100,4\ntwin,anna,short,1000,1000,1100,4\n");
    folder.write("more.csv",
                 "name,user,queue,submit,start,finish,cpu\ntwin,anna,short,500,500,600,4\n");
    folder.write("month.yaml",
                 replaced(experiment(),
                          "jobs.csv}}]",
                          "jobs.csv, zero: trace}}, {trace: {format: csv, file: more.csv, "
                          "zero: trace}}]"));
    const Json result = calibrated(folder);
    CHECK(result.at("all").at("jobs") == 3);
    CHECK(result.at("all").at("within") == Json({1.0, 1.0, 1.0}));
}

TEST_CASE("calibrate: a start before the submission is left out, and said", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "name,user,queue,submit,start,finish,cpu\n"
                 "a,anna,short,0,0,100,4\nb,bert,long,500,200,300,4\n");
    folder.write("month.yaml", experiment());
    const Json result = calibrated(folder);
    CHECK(result.at("all").at("jobs") == 1);
    CHECK(result.at("start_before_submit") == 1);
    CHECK(result.at("headline").get<std::string>().starts_with("no job waited in the recording"));
    const Answer answer = folder.berth({"calibrate", "month.yaml"});
    CHECK(answer.out.find("1 job left out: the recording starts them before they were submitted") !=
          std::string::npos);
}

TEST_CASE("calibrate: what a run warns of, and a run in which nothing starts", "[cli]") {
    const Folder folder;
    folder.write("jobs.csv",
                 "name,user,queue,submit,start,finish,cpu\n"
                 "a,anna,short,0,50,100,9\nb,bert,long,10,200,300,9\n");
    folder.write("month.yaml", experiment());
    const Answer answer = folder.berth({"calibrate", "month.yaml"});
    CHECK(answer.status == 0);
    CHECK(answer.err.find("month: warning: ") != std::string::npos);
    CHECK(answer.out.starts_with("month: no job starts in the run; 0 % of 2 jobs"));
}
