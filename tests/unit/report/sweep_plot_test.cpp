#include "experiments/program/plot/sweep_plot.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/folder.hpp"

using namespace berth;
using berth::tests::TestFolder;
namespace fs = std::filesystem;

namespace {

const fs::path tiny = BERTH_SOURCE_DIR "/tests/browser/data/tiny-sweep";

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("sweep plot: each figure writes its data, and draws them", "[plot][sweep]") {
    const TestFolder folder;
    for (const report::Figure& figure : report::sweep_figures()) {
        CAPTURE(figure.name);
        report::write_sweep_plot(tiny, figure.name, {}, folder.path() / "a.csv");
        const std::string table = bytes_of(folder.path() / "a.csv");
        CHECK_THAT(table, Catch::Contains("policy,load,wait_s_mean,ci95,sd,min,lower quartile,"));
        CHECK_THAT(table, Catch::Contains("\npack,0.2,2.746,") || Catch::Contains("\n4,pack,0.2,"));
    }
}

TEST_CASE("sweep plot: a picture has its lines' names, and below it what it averages",
          "[plot][sweep][drawn]") {
    const TestFolder folder;
    for (const report::Figure& figure : report::sweep_figures()) {
        CAPTURE(figure.name);
        report::write_sweep_plot(tiny, figure.name, {}, folder.path() / "a.svg");
        const std::string picture = bytes_of(folder.path() / "a.svg");
        CHECK_THAT(picture, Catch::Contains(">wait_s_mean"));
        CHECK_THAT(picture, Catch::Contains(">pack</text>") && Catch::Contains(">0.2</text>"));
        CHECK(picture.find("undefined") == std::string::npos);
    }
    report::write_sweep_plot(tiny, "lines", {}, folder.path() / "a.svg");
    const std::string picture = bytes_of(folder.path() / "a.svg");
    CHECK_THAT(picture, Catch::Contains("averaged over size (2 values)"));
    CHECK_THAT(picture, Catch::Contains("1 of 12 marks over fewer than 2 points"));
}

TEST_CASE("sweep plot: a figure that has no such axis or name says so", "[plot][sweep]") {
    report::SweepOptions options;
    options.panel = "size";
    CHECK_THROWS_WITH(report::write_sweep_plot(tiny, "lines", options, "a.csv"),
                      "--panel: error: 'lines' has one panel: expected --figure small-multiples");
    options.panel = "none";
    CHECK_THROWS_WITH(report::write_sweep_plot(tiny, "small-multiples", options, "a.csv"),
                      Catch::StartsWith("--panel: error: 'small-multiples' needs an axis beside"));
    options.panel.reset();
    options.by = "none";
    CHECK_THROWS_WITH(report::write_sweep_plot(tiny, "heat-map", options, "a.csv"),
                      Catch::StartsWith("--by: error: 'heat-map' needs an axis beside 'load'"));
    CHECK_THROWS_WITH(
        report::write_sweep_plot(tiny, "heatmap", {}, "a.csv"),
        Catch::StartsWith("--figure: error: unknown figure 'heatmap' of a sweep (did you mean"));
    CHECK_FALSE(fs::exists("a.csv"));
}
