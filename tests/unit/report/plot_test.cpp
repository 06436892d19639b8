#include "experiments/program/plot/plot.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>

#include "core/support/source.hpp"
#include "experiments/program/plot/drawing.hpp"
#include "tests/support/folder.hpp"
#include "tests/unit/report/device_run.hpp"
#include "tests/unit/report/failing_run.hpp"
#include "tests/unit/report/quota_run.hpp"

using namespace berth;
using berth::tests::TestFolder;
namespace fs = std::filesystem;

namespace {

const fs::path tiny = BERTH_SOURCE_DIR "/tests/browser/data/tiny-run";

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The SVG of a figure, which is drawn in a folder.
std::string svg_of(const TestFolder& folder, const fs::path& run, const std::string& figure) {
    report::write_plot({run}, figure, folder.path() / "a.svg");
    return bytes_of(folder.path() / "a.svg");
}

}  // namespace

TEST_CASE("plot: the figures have names and summaries, sorted", "[plot]") {
    const auto all = report::figures();
    CHECK(std::ranges::is_sorted(all, {}, &report::Figure::name));
    for (const char* name :
         {"cluster", "comparison", "distribution", "levels", "locality", "quotas", "timeseries"}) {
        CHECK(std::ranges::count(all, name, &report::Figure::name) == 1);
    }
    CHECK(std::ranges::none_of(all, [](const auto& figure) { return figure.summary.empty(); }));
}

TEST_CASE("plot: what is not known is told with what is", "[plot]") {
    const auto [figure, out, message] = GENERATE(table<std::string, std::string, std::string>({
        {"clutser", "a.svg", "--figure: error: unknown figure 'clutser' (did you mean 'cluster'?)"},
        {"cluster",
         "a.gif",
         "a.gif: error: unknown picture format '.gif': expected .svg, .pdf, .png or .csv"},
        {"cluster", "plain", "plain: error: unknown picture format ''"},
        {"cluster:gpu", "a.svg", "tiny-run: error: unknown resource 'gpu': expected cpu, memory"},
        {"distribution:servers_used",
         "a.svg",
         "tiny-run: error: unknown metric 'servers_used' (did"},
        {"cluster:cpu,noon", "a.svg", "--figure: error: found 'noon': expected a time with its"},
        {"gantt:server,2h,1h", "a.svg", "--figure: error: found 'server,2h,1h': expected SERVERS"},
        {"gantt:host", "a.svg", "tiny-run: error: no pod ran on a server named 'host' then: exp"},
        {"gpu-time", "a.svg", "tiny-run: error: the run has no GPU time: expected metrics gpu_"},
        {"mttf", "a.svg", "tiny-run: error: the run has no mttf.csv: expected a run in which some"},
        {"outages",
         "a.svg",
         "tiny-run: error: the run has no outages over time: expected failures"},
        {"mttf:1", "a.svg", "--figure: error: found '1': expected no choice for this figure"},
        {"wait-cdf:1", "a.svg", "--figure: error: found '1': expected no choice for this figure"},
        {"timeseries:pods_runnin", "a.svg", "tiny-run: error: unknown metric 'pods_runnin' (did"},
    }));
    CAPTURE(figure, out);
    CHECK_THROWS_WITH(report::write_plot({tiny}, figure, out), Catch::StartsWith(message));
    CHECK_FALSE(fs::exists(out));
}

TEST_CASE("plot: a metric that does not vary is refused by its name", "[plot]") {
    const TestFolder folder;
    std::ofstream(folder.path() / "summary.json") << R"({"schema": "berth.summary/v1"})";
    std::ofstream(folder.path() / "replications.csv")
        << "replication,seed,same,other\n0,1,5,1\n1,2,5,2\n";
    const fs::path out = folder.path() / "a.svg";
    for (const char* figure : {"distribution:same", "comparison:same"}) {
        CHECK_THROWS_WITH(report::write_plot({folder.path()}, figure, out),
                          Catch::Contains(": error: 'same' is 5 everywhere: expected a metric that "
                                          "varies, such as 'other'"));
    }
    CHECK_FALSE(fs::exists(out));
    CHECK_NOTHROW(report::write_plot({folder.path()}, "distribution:other", out));
}

TEST_CASE("plot: a sample that does not vary over time is refused by its name", "[plot]") {
    report::RunDirectory run;
    run.directory = "out";
    run.series.columns = {"pods_waiting", "pods_running"};
    run.series.replications = {{0, {0, 10}, {{0, 0}, {1, 2}}}};
    CHECK_THROWS_WITH(report::timeseries_figure({run}, "pods_waiting"),
                      "out: error: 'pods_waiting' does not vary over time: expected one of "
                      "pods_running");
    CHECK(report::timeseries_figure({run}, "").table.csv().find("pods_waiting") ==
          std::string::npos);
}

TEST_CASE("plot: GPUs come first, then other devices, then CPUs", "[plot]") {
    report::RunDirectory run;
    run.cluster.emplace();
    run.cluster->resources = {"cpu", "memory", "rdma/nic", "nvidia.com/gpu"};
    CHECK(report::choose_resource(run, "") == 3);
    CHECK(report::choose_resource(run, "cpu") == 0);
    run.cluster->resources = {"memory", "cpu", "rdma/nic"};
    CHECK(report::choose_resource(run, "") == 2);
    run.cluster->resources = {"memory", "cpu"};
    CHECK(report::choose_resource(run, "") == 1);
}

TEST_CASE("plot: a picture has the names and numbers of its run", "[plot][drawn]") {
    const TestFolder folder;
    const std::string cluster = svg_of(folder, tiny, "cluster:cpu");
    CHECK_THAT(cluster,
               Catch::StartsWith("<?xml version=\"1.0\"") && Catch::Contains("width=\"504pt\""));
    CHECK_THAT(cluster, Catch::Contains(">room-1</text>"));
    CHECK_THAT(cluster, Catch::Contains(">cpu: each server, from idle to full</text>"));
    CHECK_THAT(cluster, Catch::Contains("fill=\"#d55e00\""));  // the members
    CHECK_THAT(svg_of(folder, tiny, "levels:memory"),
               Catch::Contains(">By rack: memory in use</text>"));
}

TEST_CASE("plot: PDF is seven inches wide, and PNG has 180 dots per inch of them",
          "[plot][drawn]") {
    const TestFolder folder;
    for (const std::string format : {"pdf", "png"}) {
        report::write_plot({tiny}, "cluster", folder.path() / ("a." + format));
    }
    CHECK_THAT(bytes_of(folder.path() / "a.pdf"), Catch::Contains("/MediaBox [ 0 0 504 "));
    const std::string width(bytes_of(folder.path() / "a.png"), 16, 4);  // of the chunk IHDR
    CHECK(width == std::string("\x00\x00\x04\xEC", 4));                 // 1260
}

TEST_CASE("plot: samples are drawn as steps, in a panel for each metric", "[plot][drawn]") {
    const TestFolder folder;
    fs::copy(tiny, folder.path() / "run", fs::copy_options::recursive);
    std::ofstream(folder.path() / "run/timeseries.csv")
        << "replication,time_s,pods_running,pods_waiting\n0,0,0,1\n0,10,3,0\n0,20,1,4\n";
    const std::string svg = svg_of(folder, folder.path() / "run", "timeseries:pods_running");
    CHECK_THAT(svg,
               Catch::Contains(">pods_running, pods</text>") && Catch::Contains(">20 s</text>"));
    CHECK_THAT(svg, !Catch::Contains("pods_waiting"));
    // A step goes to the next time at the old height, and then straight up.
    const std::regex steps(R"re(d="M(\S+) (\S+)L(\S+) \2L\3 (\S+)L(\S+) \4L\5 (\S+)")re");
    CHECK(std::regex_search(svg, steps));
}

TEST_CASE("plot: no text of a run is markup", "[plot][drawn]") {
    const TestFolder folder;
    fs::copy(tiny, folder.path() / "run", fs::copy_options::recursive);
    std::ofstream(folder.path() / "run/summary.json")
        << R"({"schema": "berth.summary/v1", "experiment": "</text><script>'\"&", "metrics": {
            "gpu_time_allocated": {"mean": 0.6, "n": 1}}})";
    const std::string svg = svg_of(folder, folder.path() / "run", "gpu-time");
    CHECK_THAT(svg, !Catch::Contains("<script"));
    CHECK_THAT(svg, Catch::Contains("&lt;/text&gt;&lt;script&gt;"));
}

TEST_CASE("plot: names lose what all begin with", "[plot]") {
    using Names = std::vector<std::string>;
    CHECK(report::short_names(Names{"rack-0", "rack-11"}) == Names{"0", "11"});
    CHECK(report::short_names(Names{"rack-0", "row-1"}) == Names{"rack-0", "row-1"});
    CHECK(report::short_names(Names{"a", "b"}) == Names{"a", "b"});
    CHECK(report::short_names(Names{"1", "2"}) == Names{"1", "2"});
}

/// The samples of a run in which pods share the GPUs of a cluster of ten.
const std::string shared_gpus =
    "replication,time_s,gpu_arrived_milli,gpu_allocated_milli,q1_lack_both,q2_lack_gpu,"
    "q3_satisfied,q4_lack_cpu,xl_satisfied,xr_lack_cpu,no_access\n"
    "0,0,1000,1000,0,500,8000,0,500,0,0\n"
    "0,1,4000,4000,0,1000,4500,0,500,0,0\n"
    "0,2,12000,9000,200,300,400,100,0,0,0\n";

const std::string gpu_time = R"({"schema": "berth.summary/v1", "experiment": "a", "metrics": {
    "gpu_time_allocated": {"mean": 0.6, "n": 1}, "gpu_time_idle_stopped": {"mean": 0, "n": 1},
    "gpu_time_idle_no_demand": {"mean": 0.3, "n": 1}, "gpu_time_redone": {"mean": 0.1, "n": 1}}})";

TEST_CASE("plot: every figure in every format, and twice the same bytes", "[plot][drawn]") {
    const TestFolder folder;
    test::write_quota_run(folder.path() / "run", {});
    test::write_device_run(folder.path() / "devices", "greedy");
    fs::copy(tiny, folder.path() / "sharing", fs::copy_options::recursive);
    std::ofstream(folder.path() / "sharing/timeseries.csv") << shared_gpus;
    std::ofstream(folder.path() / "sharing/summary.json") << gpu_time;
    test::write_failing_run(folder.path() / "failing");
    for (const report::Figure& figure : report::figures()) {
        for (const std::string extension : {".svg", ".pdf", ".png", ".csv"}) {
            CAPTURE(figure.name, extension);
            const fs::path one = folder.path() / ("one" + extension);
            const fs::path two = folder.path() / ("two" + extension);
            const fs::path run = figure.name.starts_with("quota") ? folder.path() / "run"
                                 : figure.name == "locality"      ? folder.path() / "devices"
                                 : figure.name == "mttf" || figure.name == "outages"
                                     ? folder.path() / "failing"
                                 : figure.name.starts_with("fragment") ||
                                         figure.name == "unallocated" || figure.name == "gpu-time"
                                     ? folder.path() / "sharing"
                                     : tiny;
            report::write_plot({run, run}, figure.name, one);
            report::write_plot({run, run}, figure.name, two);
            const std::string bytes = bytes_of(one);
            CHECK(bytes.size() > (extension == ".csv" ? 100 : 2000));
            if (extension == ".svg") {
                CHECK_THAT(bytes, !Catch::Contains("undefined") && !Catch::Contains("NaN"));
            }
            CHECK(bytes == bytes_of(two));
            CHECK(bytes.find("/CreationDate (D:2") == std::string::npos);
        }
    }
    CHECK(std::ranges::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) ==
          12);
}

TEST_CASE("plot: tables say what the figures show", "[plot]") {
    const TestFolder folder;
    fs::copy(tiny, folder.path() / "sharing", fs::copy_options::recursive);
    std::ofstream(folder.path() / "sharing/timeseries.csv") << shared_gpus;
    std::ofstream(folder.path() / "sharing/summary.json") << gpu_time;
    test::write_quota_run(folder.path() / "quotas", {});
    test::write_failing_run(folder.path() / "failing");
    const auto table = [&](const fs::path& run, const std::string& figure) {
        report::write_plot({run}, figure, folder.path() / "out.csv");
        return bytes_of(folder.path() / "out.csv");
    };
    CHECK(table(folder.path() / "sharing", "gpu-time") ==
          "run,cause,share\na,allocated,0.6\na,no demand,0.3\na,redone,0.1\n");
    CHECK_THAT(table(folder.path() / "sharing", "fragment-classes"),
               Catch::Contains("\na,q3_satisfied,10,80\n"));
    CHECK_THAT(table(folder.path() / "failing", "mttf"),
               Catch::Contains("\nfailing,gpus,5,8,7.5,3,4,200,50,"));
    CHECK_THAT(table(folder.path() / "failing", "outages"),
               Catch::EndsWith("\nfailing,rack-1,90,,,d,board,1\n"));
    CHECK_THAT(table(tiny, "gantt"), Catch::Contains(",ring-0,team-a,ring,server-7,,2,0,0,3600\n"));
    CHECK_THAT(table(tiny, "gantt:server-6"), !Catch::Contains("server-7"));
    CHECK_THAT(table(tiny, "wait-cdf"), Catch::EndsWith(",1\n"));
    CHECK_THAT(table(tiny, "cluster:cpu,10m"), Catch::Contains("room-0/"));
    CHECK_THAT(table(folder.path() / "quotas", "quota-areas"),
               Catch::StartsWith("run,parent,quota,resource,time_s,used,borrowed\n"));
}

TEST_CASE("plot: the table of a figure has a header, and rows of its length", "[plot]") {
    const TestFolder folder;
    fs::copy(tiny, folder.path() / "a, b", fs::copy_options::recursive);
    const fs::path out = folder.path() / "out.csv";
    report::write_plot({tiny, folder.path() / "a, b"}, "comparison:wait_s", out);
    std::ifstream in(out);
    std::string line;
    std::vector<std::string> lines;
    while (std::getline(in, line)) {
        lines.push_back(line);
    }
    REQUIRE(lines.size() == 3);
    CHECK_THAT(lines[0], Catch::StartsWith("run,metric,n,mean,ci95,"));
    CHECK_THAT(lines[1], Catch::Contains(",wait_s,"));
    CHECK_THAT(lines[2], Catch::StartsWith("\"") && Catch::Contains("(a, b)\",wait_s,"));
    report::FigureTable table({"one", "two"});
    table.row({"say \"it\"", report::cell(0.1)});
    table.row({report::cell(NAN), report::cell(1099511627776)});
    CHECK(table.csv() == "one,two\n\"say \"\"it\"\"\",0.1\n,1099511627776\n");
}

TEST_CASE("plot: a quota by its name, and the resource after a comma", "[plot]") {
    const TestFolder folder;
    test::QuotaRunShape shape;
    shape.samples = 48;
    test::write_quota_run(folder.path(), shape);
    const auto svg = [&](const std::string& choice) {
        return svg_of(folder, folder.path(), "quotas:" + choice);
    };
    // Without a choice, the first quota that borrowed is shown.
    CHECK_THAT(svg(""), Catch::Contains(">research: nvidia.com/gpu</text>"));
    CHECK_THAT(svg("production-b"), Catch::Contains(">production-b: nvidia.com/gpu</text>"));
    CHECK_THAT(svg("production-b,memory"), Catch::Contains(">production-b: memory</text>"));
    CHECK_THAT(svg(",cpu"), Catch::Contains(">research: cpu</text>"));
    CHECK_THROWS_WITH(svg("reserch"), Catch::Contains("(did you mean 'research'?)"));
    CHECK_THROWS_WITH(svg("research,gpus"), Catch::Contains("unknown resource 'gpus'"));
    CHECK_THROWS_WITH(report::quotas_figure({report::read_run_directory(tiny)}, ""),
                      Catch::Contains("no quotas.csv"));
}

TEST_CASE("plot: nearness by size, of one kind or of all", "[plot][devices][drawn]") {
    const TestFolder folder;
    test::write_device_run(folder.path() / "greedy", "greedy");
    test::write_device_run(folder.path() / "exact", "exact");
    const auto svg = [&](const std::string& figure) {
        const fs::path out = folder.path() / "a.svg";
        report::write_plot({folder.path() / "greedy", folder.path() / "exact"}, figure, out);
        return bytes_of(out);
    };
    CHECK_THAT(svg("locality"), Catch::Contains(">one PCIe switch</text>"));
    CHECK_THAT(svg("locality"), Catch::Contains(">NIC beside each GPU</text>"));
    CHECK_THAT(svg("locality:numa"), !Catch::Contains("one PCIe switch"));
    CHECK_THAT(svg("locality:numa"), Catch::Contains(">small (exact)</text>"));
    CHECK_THROWS_WITH(svg("locality:nua"), Catch::Contains("(did you mean 'numa'?)"));
    CHECK_THROWS_WITH(report::locality_figure({report::read_run_directory(tiny)}, ""),
                      Catch::Contains("no devices.csv"));
}

TEST_CASE("plot: where a program is missing, it says what to install, and CSV needs none",
          "[plot]") {
    const TestFolder folder;
    const fs::path programs = folder.path() / "programs";
    fs::create_directory(programs);
    const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
    ::setenv("PATH", programs.c_str(), 1);
    CHECK_THROWS_WITH(
        report::write_plot({tiny}, "cluster", folder.path() / "a.svg"),
        "node is missing: install Node.js 18 or newer (package nodejs) to draw figures");
    CHECK_FALSE(fs::exists(folder.path() / "a.svg"));
    CHECK_NOTHROW(report::write_plot({tiny}, "cluster", folder.path() / "a.csv"));
    const fs::path node = programs / "node";
    std::ofstream(node) << "#!/bin/sh\necho '<svg></svg>'\n";
    fs::permissions(node, fs::perms::owner_all);
    CHECK_THROWS_WITH(report::write_plot({tiny}, "cluster", folder.path() / "a.pdf"),
                      Catch::StartsWith("rsvg-convert is missing: install it (package librsvg2"));
    std::ofstream(node) << "#!/bin/sh\necho '<svg>'\n";
    CHECK_THROWS_WITH(report::write_plot({tiny}, "cluster", folder.path() / "a.svg"),
                      Catch::StartsWith("node did not draw the figure to its end"));
    std::ofstream(node) << "#!/bin/sh\necho 'a.js:1\n\nError: it broke\n    at a.js' >&2; exit 1\n";
    CHECK_THROWS_WITH(report::write_plot({tiny}, "cluster", folder.path() / "a.svg"),
                      "node failed: Error: it broke");
    ::setenv("PATH", path.c_str(), 1);
    CHECK_FALSE(fs::exists(folder.path() / "a.svg"));
}
