#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/support/source.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/draw.hpp"
#include "tests/support/folder.hpp"

using namespace berth;
using berth::tests::TestFolder;
namespace fs = std::filesystem;

namespace {

/// A line of `berth bench --json`.
std::string line(const std::string& benchmark, int size, double median_s) {
    return R"({"benchmark": ")" + benchmark + R"(", "size": )" + std::to_string(size) +
           R"(, "size_of": "servers", "unit": "one pod's cycle", "count": 9, "best_s": 1e-7, )" +
           R"("median_s": )" + std::to_string(median_s) + R"(, "rate_per_s": 1, "counters": {}})" +
           "\n";
}

std::string csv_of(const std::vector<core::SourceText>& files, const fs::path& out) {
    report::write_bench_plot(files, "scaling", out);
    std::ifstream in(out);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("plot: a scaling figure shows each benchmark's lowest median by size", "[plot]") {
    const TestFolder folder;
    const core::SourceText file{"b.jsonl",
                                line("cycle", 1000, 0.25) + line("cycle", 10, 0.5) + "\n" +
                                    line("cycle", 10, 0.125) + line("place/pack", 10, 0.75)};
    CHECK(csv_of({file}, folder.path() / "a.csv") ==
          "benchmark,size,size_of,unit,best_s,median_s\n"
          "cycle,10,servers,one pod's cycle,1e-07,0.125\n"
          "cycle,1000,servers,one pod's cycle,1e-07,0.25\n"
          "place/pack,10,servers,one pod's cycle,1e-07,0.75\n");
}

TEST_CASE("plot: benchmarks that several files have carry the files' names", "[plot]") {
    const TestFolder folder;
    const std::string both = line("cycle", 10, 0.5) + line("cycle", 20, 0.5);
    const core::SourceText a{"a.jsonl", both};
    const core::SourceText b{"b.jsonl", both + line("events", 10, 0.5) + line("events", 20, 0.5)};
    const std::string csv = csv_of({a, b}, folder.path() / "a.csv");
    CHECK_THAT(csv, Catch::Contains("\ncycle (a.jsonl),10,"));
    CHECK_THAT(csv, Catch::Contains("\ncycle (b.jsonl),10,"));
    CHECK_THAT(csv, Catch::Contains("\nevents,10,"));
}

TEST_CASE("plot: both axes of a scaling figure are logarithmic and labelled", "[plot][drawn]") {
    report::ScalingLine cycle{"cycle", "one pod's cycle", "servers", {}};
    cycle.at[1'000] = {"cycle", 1'000, "servers", cycle.unit, 1e-7, 2e-7};
    cycle.at[1'000'000] = {"cycle", 1'000'000, "servers", cycle.unit, 1e-5, 2e-5};
    report::ScalingLine events{"events", "pop one, push one", "pending events", cycle.at};
    const auto svg = [](const std::vector<report::ScalingLine>& lines) {
        return report::drawn_svg(report::scaling_figure(lines).data);
    };

    const std::string one = svg({cycle});
    const std::string two = svg({cycle, events});

    CHECK_THAT(one, Catch::Contains(">servers</text>"));
    CHECK_THAT(one, Catch::Contains(">Median time of one unit: one pod&#39;s cycle</text>"));
    CHECK_THAT(one, Catch::Contains(">1 000 000</text>"));
    CHECK_THAT(one, Catch::Contains(">1 µs</text>") && Catch::Contains(">10 µs</text>"));
    CHECK_THAT(two, Catch::Contains(">servers or pending events</text>"));
    CHECK_THAT(two, Catch::Contains(">events: pop one, push one, by pending events</text>"));
}

TEST_CASE("plot: a line that berth bench did not print is refused with its number", "[plot]") {
    const auto [text, message] = GENERATE(table<std::string, std::string>({
        {"", ": error: the file is empty: expected a line of 'berth bench --json'"},
        {"kind: Experiment\n", ":1: error: this is not JSON: expected a line of 'berth bench"},
        {"\n[1]\n", ":2: error: this is not a JSON object: expected a line of"},
        {"{}", ":1: error: no 'benchmark': expected a line of"},
        {R"({"benchmark": 1})", ":1: error: 'benchmark' is not a text: expected"},
        {R"({"benchmark": "a"})", ":1: error: no 'size': expected"},
        {R"({"benchmark": "a", "size": 0})", ":1: error: 'size' is not a whole number of at le"},
        {R"({"benchmark": "a", "size": 1})", ":1: error: no 'unit': expected"},
        {line("cycle", 1, 0.5) + line("cycle", 2, 0), ":2: error: 'median_s' is not a number abo"},
        {line("cycle", 7, 0.5) + line("place", 7, 0.5),
         ": error: 'cycle' has one size, 7: expected two or more, as berth bench measures them"},
    }));
    CAPTURE(text);
    const TestFolder folder;
    const core::SourceText file{"b.jsonl", text};
    const fs::path out = folder.path() / "a.svg";
    CHECK_THROWS_WITH(report::write_bench_plot({file}, "scaling", out),
                      Catch::StartsWith("b.jsonl" + message));
    CHECK_FALSE(fs::exists(out));
}

TEST_CASE("plot: a scaling figure is of few benchmarks and takes no choice", "[plot]") {
    const TestFolder folder;
    std::string text;
    for (int i = 0; i < 29; ++i) {
        text += line("b" + std::to_string(i), 1, 0.5) + line("b" + std::to_string(i), 2, 0.5);
    }
    const core::SourceText file{"b.jsonl", text};
    const fs::path out = folder.path() / "a.svg";
    CHECK_THROWS_WITH(report::write_bench_plot({file}, "scaling", out),
                      Catch::Contains(": error: 29 benchmarks: expected at most 28"));
    CHECK_THROWS_WITH(report::write_bench_plot({file}, "scaling:cycle", out),
                      "--figure: error: found 'cycle': expected no choice for this figure");
    CHECK_FALSE(fs::exists(out));
}
