#include "experiments/program/report/who_pays.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

using namespace berth::report;

namespace {

void add(RunDirectory& run, const std::string& label, double mean, double tail) {
    for (const auto& [name, value] : {std::pair{"mean", mean}, {"p95", tail}}) {
        MetricSummary metric;
        metric.name = std::string("job_wait_s_") + name + "[" + label + "]";
        metric.mean = value;
        run.metrics.push_back(metric);
    }
}

RunDirectory of_sizes(double small, double large) {
    RunDirectory run;
    add(run, "gpus=1", small, 2 * small);
    add(run, "gpus=9-64", large, 2 * large);
    run.job_traits = {{"gpus=1", "size"}, {"gpus=9-64", "size"}};
    return run;
}

}  // namespace

TEST_CASE("who pays: waits by size, in the unit that people read", "[report][answer]") {
    CHECK(who_pays(of_sizes(60, 14400)) == nlohmann::ordered_json::parse(R"([
        {"by": "size", "rows": [
            {"name": "1 GPU", "metric": "job_wait_s_mean[gpus=1]", "mean": "60 s", "tail": "2 min"},
            {"name": "9 to 64 GPUs", "metric": "job_wait_s_mean[gpus=9-64]", "mean": "4 h",
             "tail": "8 h"}],
         "leftOut": 0}])"));
}

TEST_CASE("who pays: nobody, where waits differ by no more than half", "[report][answer]") {
    CHECK(who_pays(of_sizes(100, 150)).empty());
    CHECK(who_pays(of_sizes(100, 151)).size() == 1);
    CHECK(who_pays(of_sizes(0.001, 0.1)).empty());  // too short for people to notice
    CHECK(who_pays({}).empty());
}

TEST_CASE("who pays: those of the longest waits come first, and the others are counted",
          "[report][answer]") {
    RunDirectory run;
    for (int i = 0; i < 9; ++i) {
        const std::string user = "user-" + std::to_string(i);
        add(run, user, 100.0 * (i + 1), 0);
        run.job_traits[user] = "user";
    }
    MetricSummary& open = run.metrics.front();  // for user-0 only a bound is known
    open.mean.reset();
    open.at_least = 3600;
    const nlohmann::ordered_json out = who_pays(run);
    REQUIRE(out.size() == 1);
    CHECK(out[0]["by"] == "user");
    CHECK(out[0]["leftOut"] == 3);
    REQUIRE(out[0]["rows"].size() == 6);
    CHECK(out[0]["rows"][0]["name"] == "user-0");
    CHECK(out[0]["rows"][0]["mean"] == "> 60 min");
    CHECK(out[0]["rows"][1]["name"] == "user-8");
}

TEST_CASE("who pays: sizes have names", "[report][answer]") {
    const auto [label, name] = GENERATE(table<std::string, std::string>({
        {"gpus=0", "no GPU"},
        {"gpus=part", "part of a GPU"},
        {"gpus=513+", "513 GPUs or more"},
        {"pods=1", "1 pod"},
        {"pods=2-4", "2 to 4 pods"},
        {"user=ann", "ann"},
    }));
    CAPTURE(label);
    RunDirectory run = of_sizes(1, 10);
    add(run, label, 100, 100);
    run.job_traits[label] = "size";
    CHECK(who_pays(run)[0]["rows"].back()["name"] == name);
}
