#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "core/support/source.hpp"
#include "experiments/program/report/assets.hpp"
#include "experiments/program/report/report.hpp"
#include "experiments/program/report/sweep_data.hpp"
#include "experiments/program/results/input_kind.hpp"
#include "experiments/program/results/sweep_choice.hpp"
#include "experiments/program/results/sweep_tables.hpp"
#include "experiments/program/results/sweep_target.hpp"
#include "experiments/program/results/verdict.hpp"
#include "tests/support/folder.hpp"

using namespace berth;
using berth::tests::TestFolder;
namespace fs = std::filesystem;

namespace {

const fs::path tiny = BERTH_SOURCE_DIR "/tests/browser/data/tiny-sweep";

/// A sweep of two axes that go together, an axis of names one of which has a comma, and an axis of
/// a single value.
void write_zipped(const TestFolder& folder) {
    folder.write("sweep.yaml", "metadata: {name: zipped}\n");
    folder.write("points.csv",
                 "point,key,rate,period,mode,seed_base\n"
                 "0,aa,10,6,\"a,b\",1\n1,bb,9,5,\"a,b\",1\n2,cc,10,6,c,1\n3,dd,9,5,c,1\n");
    folder.write("results.csv",
                 "rate,period,mode,seed_base,replication,seed,constant,wait\n"
                 "10,6,\"a,b\",1,0,1,7,2\n10,6,\"a,b\",1,2,3,7,4\n"
                 "9,5,\"a,b\",1,0,1,7,\n9,5,\"a,b\",1,2,3,7,10\n"
                 "9,5,c,1,0,5,7,1\n9,5,c,1,2,6,7,2\n");
}

std::vector<std::string> wrong_choice(const char* metric, const char* x, const char* where) {
    return {metric, x, where};
}

report::SweepOptions options_of(const std::vector<std::string>& texts) {
    report::SweepOptions options;
    if (!texts[0].empty()) {
        options.metric = texts[0];
    }
    if (!texts[1].empty()) {
        options.x = texts[1];
    }
    if (!texts[2].empty()) {
        options.where.push_back(texts[2]);
    }
    return options;
}

}  // namespace

TEST_CASE("sweep directory: axes of numbers ascend, names keep their order", "[report][sweep]") {
    const report::SweepDirectory sweep = report::read_sweep_directory(tiny);
    CHECK(sweep.name == "load, policy & size");
    REQUIRE(sweep.axes.size() == 3);
    CHECK(sweep.axes[0].numbers == std::vector<double>{0.2, 0.4, 0.6, 0.8});
    CHECK_FALSE(sweep.axes[1].numeric());
    CHECK(sweep.axes[1].values[2] == "a <b>third</b>");
    CHECK(sweep.axes[2].values == std::vector<std::string>{"4", "16"});  // the file begins with 16
    CHECK(sweep.points[0] == std::vector<std::size_t>{0, 0, 1});
    CHECK(std::ranges::count(sweep.finished, false) == 1);
    CHECK(sweep.replications == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(sweep.seeds == std::vector<std::string>{"7", "8", "9", "10"});
    CHECK(sweep.metrics.front().values[1] == 2.728);
    CHECK(std::isnan(sweep.metrics.front().values[22 * 4]));
}

TEST_CASE("sweep directory: gaps, quoted names, seeds of a point's own", "[report][sweep]") {
    const TestFolder folder;
    write_zipped(folder);
    const report::SweepDirectory sweep = report::read_sweep_directory(folder.path());
    CHECK(sweep.replications == std::vector<std::int64_t>{0, 2});
    CHECK(sweep.seeds.empty());
    CHECK(sweep.axes[2].values == std::vector<std::string>{"a,b", "c"});
    CHECK_FALSE(sweep.finished[2]);
    const report::SweepChoice choice = report::choose(sweep, {});
    CHECK(sweep.metrics[choice.metric].name == "wait");  // the first metric that changes
    CHECK(choice.x == 0);
    CHECK(choice.by == 2);  // the period goes along with the rate
    CHECK_FALSE(choice.panel);
}

TEST_CASE("sweep directory: a percentile that a replication did not reach has no value at all",
          "[report][sweep]") {
    const TestFolder folder;
    write_zipped(folder);
    const auto values = [&] {
        const auto sweep = report::read_sweep_directory(folder.path());
        REQUIRE(sweep.metrics[1].name == "wait");
        return sweep.metrics[1].values;
    };
    CHECK(std::isnan(values()[2]));
    CHECK(values()[3] == 10);
    folder.write("censored.csv",
                 "point,replication,metric,at_least,never_started\n"
                 "0,2,wait,3,0.5\n1,0,wait,20,0.9\n1,0,other,20,0.9\n");
    CHECK(values()[1] == 4);  // since it has a value too
    CHECK(std::isnan(values()[3]));
    folder.write("censored.csv",
                 "point,replication,metric,at_least,never_started\n7,0,wait,20,0.9\n");
    CHECK_THROWS_AS(values(), core::InputError);
}

TEST_CASE("sweep directory: durations and amounts are numbers in order", "[report][sweep]") {
    const TestFolder folder;
    folder.write(
        "sweep.yaml",
        "metadata: {name: s}\nspec:\n  axes:\n"
        "    - {name: every, path: 'spec.workload[0].generate.arrivals.mean', values: [1h, 7m]}\n"
        "    - {name: memory, path: spec.topology.spec.memory, values: [1Ti, 256Gi]}\n"
        "    - {name: given, path: 'spec.workload[0].jobs.estimate', values: [1]}\n"
        "    - name: mix\n      variants:\n        a: {spec.types.x.cpu: 1}\n"
        "        b: {spec.scheduler.period: 1s}\n        c: {}\n");
    folder.write("points.csv",
                 "point,key,every,memory,given,mix\n0,k,1h,1Ti,1,a\n1,l,7m,256Gi,1,b\n"
                 "2,m,7m,1Ti,1,c\n");
    folder.write("results.csv",
                 "every,memory,given,mix,replication,seed,m\n1h,1Ti,1,a,0,1,2\n"
                 "7m,256Gi,1,b,0,1,2\n7m,1Ti,1,c,0,1,2\n");
    const report::SweepDirectory sweep = report::read_sweep_directory(folder.path());
    CHECK(sweep.axes[0].values == std::vector<std::string>{"7m", "1h"});
    CHECK(sweep.axes[0].numbers == std::vector<double>{420, 3600});
    CHECK(sweep.axes[1].numbers == std::vector<double>{256.0 * (1 << 30), 1024.0 * (1 << 30)});
    CHECK_FALSE(sweep.axes[3].numeric());
    CHECK(sweep.axes[0].is_given());
    CHECK_FALSE(sweep.axes[1].is_given());
    CHECK(sweep.axes[1].changes_cluster());
    CHECK_FALSE(sweep.axes[2].is_given());
    CHECK(sweep.axes[3].is_given());
    CHECK_FALSE(report::alike(sweep, 0, 1).work);
    CHECK(report::alike(sweep, 1, 2).work);  // variants b and c have the same work
    CHECK_FALSE(report::alike(sweep, 1, 2).cluster);
}

TEST_CASE("sweep directory: a path says whether it leads to the work, the cluster or the policy",
          "[report][sweep]") {
    using report::InputKind;
    using report::kind_of_input;
    CHECK(kind_of_input("spec.workload[0].generate.arrivals.mean") == InputKind::work);
    CHECK(kind_of_input("spec.workload") == InputKind::work);
    CHECK(kind_of_input("spec.workload[0].generate.jobs.estimate") == InputKind::policy);
    CHECK(kind_of_input("spec.types.a.checkpoint.every") == InputKind::policy);
    CHECK(kind_of_input("spec.untilWhen") == InputKind::policy);
    CHECK(kind_of_input("spec.topology.spec.levels[rack].count") == InputKind::cluster);
    CHECK(kind_of_input("spec.scheduler.profile.score") == InputKind::policy);
}

TEST_CASE("sweep table: a point has what its own tables have, bounds among them",
          "[report][sweep]") {
    const TestFolder folder;
    write_zipped(folder);
    folder.write("results.csv",
                 "rate,period,mode,seed_base,replication,seed,constant,wait\n"
                 "10,6,\"a,b\",1,0,1,7,2\n10,6,\"a,b\",1,2,3,7,\n"
                 "9,5,\"a,b\",1,0,1,7,5\n9,5,\"a,b\",1,2,3,7,10\n");
    folder.write("censored.csv",
                 "point,replication,metric,at_least,never_started\n0,2,wait,30,0.5\n");
    const auto sweep = report::read_sweep_directory(folder.path());
    CHECK(std::isnan(sweep.metrics[1].values[0]));  // for figures
    const report::ReplicationTable table = report::table_of(sweep, {0});
    REQUIRE(table.metrics == std::vector<std::string>{"constant", "wait"});
    CHECK(table.by_seed.at(1).figures[1].value == 2);
    CHECK_FALSE(table.by_seed.at(3).figures[1].value);
    CHECK(table.by_seed.at(3).figures[1].at_least == 30);
    CHECK(table.by_seed.at(3).figures[1].never_started == 0.5);
    const report::ReplicationTable both = report::table_of(sweep, {0, 1});
    CHECK(both.by_seed.at(1).figures[1].value == 3.5);
    CHECK_FALSE(both.by_seed.at(3).figures[1].value);
    CHECK(both.by_seed.at(3).figures[1].at_least == 20);
    CHECK(both.by_seed.at(3).figures[1].never_started == 0.25);
}

TEST_CASE("sweep target: how many points meet it, by the worse end of an interval",
          "[report][sweep]") {
    const report::SweepDirectory sweep = report::read_sweep_directory(tiny);
    bool met = false;
    CHECK(report::target_text(sweep, "cpu_utilization>=0%", met) ==
          "23 of 23 points meet cpu_utilization>=0%");
    CHECK(met);
    CHECK(report::target_text(sweep, "wait_s_mean<=4.4s", met) ==
          "1 of 23 points meets wait_s_mean<=4.4s");
    CHECK_THAT(report::target_text(sweep, "wait_s_mean <= 1ms", met),
               Catch::StartsWith("no point meets wait_s_mean <= 1ms: the nearest is load 0.2, "
                                 "policy spread, size 16 with ") &&
                   Catch::EndsWith("add values to an axis, more replications, or ask for less"));
    CHECK_FALSE(met);
    CHECK(report::read_target(sweep, "wait_s_mean<=1h30m").bound == 5400);
    CHECK(report::read_target(sweep, "cpu_utilization>=95%").bound == 0.95);
    CHECK(report::read_target(sweep, "peak_memory_bytes<=2Gi").bound == 2.0 * (1 << 30));
    const auto [text, message] = GENERATE(table<std::string, std::string>({
        {"wait_s_maen<=1m",
         "--target: error: unknown metric 'wait_s_maen': expected one of the sweep's (did you mean "
         "'wait_s_mean'?)"},
        {"wait_s_mean<=1x",
         "--target: error: '1x' is no value of wait_s_mean: expected a duration such as 10m, or "
         "seconds"},
        {"wait_s_mean=1m", "--target: error: 'wait_s_mean=1m' has no <= or >= behind a metric: "},
        {"wait_s_mean<1m", "--target: error: 'wait_s_mean<1m' has no <= or >= behind a metric: "},
        {"<=1m", "--target: error: '<=1m' has no <= or >= behind a metric: "},
        {"", "--target: error: '' has no <= or >= behind a metric: "},
    }));
    CAPTURE(text);
    CHECK_THROWS_WITH(report::read_target(sweep, text), Catch::StartsWith(message));
}

TEST_CASE("sweep directory: what is wrong is told in one line with its place", "[report][sweep]") {
    const auto [file, text, message] = GENERATE(table<std::string, std::string, std::string>({
        {"points.csv", "point,key,a\n", "points.csv:1:1: error: no point"},
        {"points.csv", "point,key,a\n0,k,1\n1,l,1\n", "points.csv:3:5: error: a point above has"},
        {"points.csv",
         "point,kee,a\n0,k,1\n",
         "points.csv:1:1: error: no column 'key': expected it in the header (did you"},
        {"results.csv", "replication,seed,m\n0,1,2\n", "results.csv:1:1: error: no column 'a'"},
        {"results.csv", "a,replication,seed,m\n3,0,1,2\n", "results.csv:2:1: error: no point of"},
        {"results.csv", "a,replication,seed,m\n1,x,1,2\n", "results.csv:2:3: error: 'x' in column"},
        {"results.csv",
         "a,replication,seed,m\n1,0.5,1,2\n",
         "results.csv:2:3: error: expected the"},
        {"results.csv", "a,replication,seed,m\n1,0,1,y\n", "results.csv:2:7: error: 'y' in column"},
        {"results.csv",
         "a,replication,seed,m\n1,0,1,2\n1,0,1,2\n",
         "results.csv: error: replication 0 of point 0 is there twice"},
        {"sweep.yaml", "metadata: {name: [\n", "sweep.yaml:2:1: error: this is not YAML"},
    }));
    CAPTURE(file, text);
    const TestFolder folder;
    folder.write("sweep.yaml", "metadata: {name: s}\n");
    folder.write("points.csv", "point,key,a\n0,k,1\n");
    folder.write("results.csv", "a,replication,seed,m\n1,0,1,2\n");
    CHECK(report::read_sweep_directory(folder.path()).name == "s");
    folder.write(file, text);
    CHECK_THROWS_WITH(report::read_sweep_directory(folder.path()),
                      Catch::StartsWith(folder.path().string() + "/" + message));
    fs::remove(folder.path() / file);
    CHECK_THROWS_WITH(report::read_sweep_directory(folder.path()),
                      Catch::Contains("error: this is no finished sweep: it has no " + file));
}

TEST_CASE("sweep choice: names that are not there are told with the nearest", "[report][sweep]") {
    const report::SweepDirectory sweep = report::read_sweep_directory(tiny);
    const auto [wrong, message] = GENERATE(table<std::vector<std::string>, std::string>({
        {wrong_choice("server_use", "", ""),
         "--metric: error: unknown metric 'server_use' (did you mean 'server_used'?): expected "},
        {wrong_choice("", "polisy", ""),
         "--x: error: unknown axis 'polisy' (did you mean 'policy'"},
        {wrong_choice("", "", "sise=4"),
         "--where: error: unknown axis 'sise' (did you mean 'size'"},
        {wrong_choice("", "", "policy=pak"),
         "--where: error: unknown value of axis 'policy' 'pak' (did you mean 'pack'?)"},
        {wrong_choice("", "", "size"), "--where: error: 'size' has no '='"},
        {wrong_choice("", "size", "size=4"), "--where: error: axis 'size' is drawn"},
    }));
    CAPTURE(wrong);
    CHECK_THROWS_WITH(report::choose(sweep, options_of(wrong)), Catch::StartsWith(message));
    report::SweepOptions twice;
    twice.x = "load";
    twice.by = "load";
    CHECK_THROWS_WITH(report::choose(sweep, twice),
                      "--by: error: axis 'load' is used twice: expected another axis, or none");
}

TEST_CASE("sweep cells: a plain count over all rows gives the same", "[report][sweep]") {
    const report::SweepDirectory sweep = report::read_sweep_directory(tiny);
    report::SweepOptions options;
    options.metric = GENERATE(as<std::string>(), "wait_s_mean", "jct_s_mean", "servers");
    options.by = GENERATE(as<std::string>(), "policy", "none", "size");
    const report::SweepChoice choice = report::choose(sweep, options);
    CAPTURE(*options.metric, *options.by);
    const std::size_t count = sweep.replications.size();
    const std::vector<double>& values = sweep.metrics[choice.metric].values;
    std::size_t marks = 0;
    for (const report::SweepCell& cell : report::sweep_cells(sweep, choice)) {
        report::Samples means{"", {}};
        std::size_t points = 0;
        for (std::size_t r = 0; r < count; ++r) {
            double sum = 0;
            points = 0;
            for (std::size_t p = 0; p < sweep.points.size(); ++p) {
                const std::vector<std::size_t>& at = sweep.points[p];
                const bool here = at[choice.x] == cell.x &&
                                  (!choice.by || at[*choice.by] == cell.by) &&
                                  (!choice.panel || at[*choice.panel] == cell.panel);
                if (here && !std::isnan(values[p * count])) {  // whole points are missing here
                    sum += values[p * count + r];
                    ++points;
                }
            }
            means.values.push_back(sum / static_cast<double>(points));
        }
        const report::Distribution wanted = report::describe_replications(means);
        CHECK(cell.points == points);
        CHECK(cell.values.mean == Approx(wanted.mean));
        CHECK(cell.values.ci95.value() == Approx(wanted.ci95.value()));
        CHECK(cell.values.upper_quartile == Approx(wanted.upper_quartile));
        ++marks;
    }
    CHECK(marks > 0);
}

TEST_CASE("sweep cells: a replication counts where each point has it", "[report][sweep]") {
    const TestFolder folder;
    write_zipped(folder);
    const report::SweepDirectory sweep = report::read_sweep_directory(folder.path());
    report::SweepOptions options;
    options.metric = "wait";
    options.by = "none";
    options.panel = "none";
    const auto cells = report::sweep_cells(sweep, report::choose(sweep, options));
    REQUIRE(cells.size() == 2);
    CHECK(cells[0].x == 0);  // rate 9: replication 2 alone, of both modes: (10 + 2) / 2
    CHECK(cells[0].values.count == 1);
    CHECK(cells[0].values.mean == 6);
    CHECK(cells[0].points == 2);
    CHECK(cells[1].values.mean == 3);  // rate 10: mode c is not finished
    CHECK(cells[1].points == 1);
}

TEST_CASE("sweep choice: several values of an axis leave those alone", "[report][sweep]") {
    const report::SweepDirectory whole = report::read_sweep_directory(tiny);
    const auto where = GENERATE(values<std::vector<std::string>>({
        {"load=0.8", "load=0.2", "load=0.8"},
        {"policy=spread", "load=0.6", "load=0.8", "size=4", "size=16"},
        {"policy=spread"},
    }));
    report::SweepDirectory narrow = whole;
    report::SweepOptions options;
    options.where = where;
    report::narrow_sweep(narrow, options.where);
    const bool one_policy = where.front() == "policy=spread";
    CHECK(options.where ==
          (one_policy ? std::vector<std::string>{"policy=spread"} : std::vector<std::string>()));
    options.x = "load";
    options.by = "size";
    options.metric = "wait_s_mean";
    report::SweepOptions all = options;
    const report::SweepChoice choice = report::choose(narrow, options);
    const auto cells = report::sweep_cells(narrow, choice);
    const auto found = report::sweep_cells(whole, report::choose(whole, all));
    std::size_t at = 0;
    for (const report::SweepCell& cell : found) {
        const std::string value = "load=" + whole.axes[choice.x].values[cell.x];
        const bool any_load = where.size() == 1;
        if (any_load || std::ranges::find(where, value) != where.end()) {
            REQUIRE(at < cells.size());
            CHECK("load=" + narrow.axes[choice.x].values[cells[at].x] == value);
            CHECK(cells[at].by == cell.by);
            CHECK(cells[at].panel == cell.panel);
            CHECK(cells[at].points == cell.points);
            CHECK(cells[at].values.mean == cell.values.mean);
            ++at;
        }
    }
    CHECK(at == cells.size());
    CHECK(at > 0);
}

TEST_CASE("sweep data: metrics are packed as tightly as they can be", "[report][sweep]") {
    const report::SweepDirectory sweep = report::read_sweep_directory(tiny);
    const nlohmann::ordered_json data = report::make_sweep_data(sweep)["sweep"];
    CHECK(data["defaults"]["by"] == "policy");
    CHECK(data["unfinished"] == nlohmann::ordered_json::parse("[22]"));
    CHECK(data["t95"][3] == 3.18245);
    REQUIRE(data["metrics"].size() == 6);
    const auto values = [&](std::size_t m) { return data["metrics"][m]["values"]; };
    CHECK(values(0).get<std::string>().size() == 24 * 4 * 4 * 4 / 3);  // all
    CHECK(values(3).get<std::string>().size() == 24 * 4 * 4 / 3);      // one a point
    CHECK(values(0).get<std::string>().starts_with("w/WIP"));          // 1.07 as a float
    CHECK(values(4) == 480);
}

TEST_CASE("sweep data: what is too much is summed up, then left out", "[report][sweep]") {
    report::SweepDirectory sweep;
    sweep.name = "many";
    sweep.axes.push_back({"a", {"1", "2"}, {1, 2}});
    sweep.points = {{0}, {1}};
    sweep.keys = {"k", "l"};
    sweep.finished = {true, true};
    for (std::int64_t r = 0; r < 40; ++r) {
        sweep.replications.push_back(r);
    }
    for (const char* name : {"quota/q/used", "wait", "jct"}) {
        report::SweepMetric metric{name, {}};
        for (int i = 0; i < 80; ++i) {
            metric.values.push_back(i);
        }
        sweep.metrics.push_back(metric);
    }
    const auto names = [&](std::size_t values) {
        const nlohmann::ordered_json data = report::make_sweep_data(sweep, {values})["sweep"];
        std::string text;
        for (const auto& metric : data["metrics"]) {
            text += metric["name"].get<std::string>() + (metric.contains("summed") ? "~ " : " ");
        }
        return text + "| " + data["leftOut"].dump();
    };
    CHECK(names(240) == "wait jct quota/q/used | []");
    CHECK(names(239) == "wait~ jct~ quota/q/used~ | []");
    CHECK(names(36) == "wait~ jct~ | [\"quota/q/used\"]");
}

TEST_CASE("sweep data: a thousand points stay below ten megabytes", "[report][sweep]") {
    report::SweepDirectory sweep;
    sweep.axes.push_back({"a", {}, {}});
    for (std::size_t p = 0; p < 1000; ++p) {
        sweep.axes[0].values.push_back(std::to_string(p));
        sweep.axes[0].numbers.push_back(static_cast<double>(p));
        sweep.points.push_back({p});
        sweep.keys.emplace_back(32, 'k');
        sweep.finished.push_back(true);
    }
    for (std::int64_t r = 0; r < 20; ++r) {
        sweep.replications.push_back(r);
    }
    for (int m = 0; m < 60; ++m) {
        report::SweepMetric metric{"metric_" + std::to_string(m), {}};
        for (int i = 0; i < 20'000; ++i) {
            metric.values.push_back(i / 7.0);
        }
        sweep.metrics.push_back(std::move(metric));
    }
    const nlohmann::ordered_json data = report::make_sweep_data(sweep);
    CHECK(data["sweep"]["leftOut"].empty());
    CHECK_FALSE(data["sweep"]["metrics"][0].contains("summed"));
    CHECK(data.dump().size() + report::page_assets().js.size() < 8'500'000);
}

TEST_CASE("sweep data: a point against a baseline has the verdict of compare_tables",
          "[report][sweep]") {
    const report::SweepDirectory sweep = report::read_sweep_directory(tiny);
    const auto against = report::make_sweep_data(sweep)["sweep"]["against"];
    REQUIRE(against["baselines"].size() == 23);
    CHECK(against["headlines"][0] ==
          nlohmann::ordered_json::parse("[\"wait_s_mean\", \"cpu_utilization\", \"jct_s_mean\"]"));
    const auto verdicts = against["metrics"]["wait_s_mean"]["verdicts"].get<std::string>();
    REQUIRE(verdicts.size() == 23 * 24);
    for (const std::size_t point : {1U, 5U, 23U}) {
        CAPTURE(point);
        const auto compared = report::compare_tables(
            report::table_of(sweep, {2}), report::table_of(sweep, {point}), {});
        const auto& name =
            against["names"][static_cast<std::size_t>(verdicts[2 * 24 + point] - '0')];
        CHECK(name == std::string(report::to_string(compared.front().verdict)));
    }
    CHECK(verdicts[0] == '-');
    CHECK(verdicts[22] == '-');                           // not finished
    CHECK_FALSE(against["metrics"].contains("servers"));  // equal everywhere
    report::SweepPageLimits few;
    few.tests = 23 * 6 * 3;
    CHECK(report::make_sweep_data(sweep, few)["sweep"]["against"]["baselines"].size() == 3);
    few.tests = 1;
    CHECK(report::make_sweep_data(sweep, few)["sweep"]["against"]["baselines"].size() == 1);
}

TEST_CASE("sweep report: one page, alone, the same bytes again", "[report][sweep]") {
    std::ostringstream page;
    report::write_report({tiny}, page);
    std::ostringstream again;
    report::write_report({tiny}, again);
    CHECK(page.str() == again.str());
    CHECK_THAT(page.str(), Catch::Contains("\"name\":\"load, policy & size\""));
    CHECK_THAT(page.str(), !Catch::Contains("a <b>third"));  // no text of a sweep is markup
    CHECK_THROWS_WITH(report::write_report({tiny, tiny}, page),
                      Catch::Contains("error: a sweep has a page of its own"));
}
