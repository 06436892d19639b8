#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "documents.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string kubernetes_nodes = R"({"apiVersion": "v1", "kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "a", "labels": {"topology.kubernetes.io/zone": "z1"}},
   "status": {"allocatable": {"cpu": "15500m", "memory": "60Gi", "pods": "110"}}},
  {"kind": "Node", "metadata": {"name": "b", "labels": {"topology.kubernetes.io/zone": "z2"}},
   "status": {"allocatable": {"cpu": "8", "memory": "30Gi", "pods": "110"}}}]}
)";

/// The simplest compressed file that can be made without a library: one stored block.
std::string stored_gzip(const std::string& text) {
    std::uint32_t crc = 0xffffffff;
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
        }
    }
    const auto bytes = [](std::uint32_t value, int count) {
        std::string out;
        for (int byte = 0; byte < count; ++byte) {
            out += static_cast<char>(value >> (8 * byte) & 0xff);
        }
        return out;
    };
    const auto size = static_cast<std::uint32_t>(text.size());
    return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11) + bytes(size, 2) +
           bytes(~size & 0xffff, 2) + text + bytes(~crc, 4) + bytes(size, 4);
}

/// The same for zstd: one raw block in a frame with one segment.
std::string stored_zstd(const std::string& text) {
    REQUIRE(text.size() >= 256);
    const std::size_t size = text.size() - 256;
    const std::size_t header = text.size() << 3 | 1;
    std::string out("\x28\xb5\x2f\xfd\x60", 5);
    out += {static_cast<char>(size & 0xff), static_cast<char>(size >> 8)};
    out += {static_cast<char>(header & 0xff),
            static_cast<char>(header >> 8 & 0xff),
            static_cast<char>(header >> 16)};
    return out + text;
}

struct Input {
    std::string name;
    std::string text;
};

const std::vector<Input>& topology_inputs() {
    static const std::vector<Input> inputs{{"spec.yaml", sound_topology},
                                           {"tree.yaml", sound_tree},
                                           {"nodes.json", kubernetes_nodes},
                                           {"experiment.yaml", sound_experiment}};
    return inputs;
}

}  // namespace

TEST_CASE("help and version go to the standard output", "[cli][commands]") {
    const Folder folder;
    CHECK_THAT(done(folder, {"--version"}),
               Catch::Matches("berth [0-9]+\\.[0-9]+\\.[0-9]+ \\(sources [0-9a-f]{16}\\)\n"));
    CHECK(done(folder, {"--help"}) == done(folder, {"-h"}));
    for (const char* command :
         {"bench", "list", "place", "plot", "report", "run", "topology", "validate", "workload"}) {
        CAPTURE(command);
        CHECK_THAT(done(folder, {"--help"}), Catch::Contains(std::string("\n  ") + command));
        CHECK_THAT(done(folder, {command, "--help"}),
                   Catch::StartsWith(std::string("usage: berth ") + command));
    }
}

TEST_CASE("lists name what can be chosen", "[cli][commands]") {
    const Folder folder;
    CHECK_THAT(done(folder, {"list"}),
               Catch::Contains("best-fit") && Catch::Contains("percolated") &&
                   Catch::Contains("log-normal") && Catch::Contains("GraphML"));
    CHECK_THAT(done(folder, {"bench", "--list"}),
               Catch::Contains("place/spread-rack+server") && Catch::Contains("events"));
    CHECK_THAT(done(folder, {"plot", "--list"}),
               Catch::Contains("cluster") && Catch::Contains("timeseries"));
}

TEST_CASE("one list is asked for by its name, as text and for programs", "[cli][commands]") {
    const Folder folder;
    const std::string text = done(folder, {"list", "figures"});
    CHECK_THAT(text, Catch::Contains("gantt") && Catch::Contains("heat-map"));
    CHECK(text.find("best-fit") == std::string::npos);
    const auto scores = nlohmann::json::parse(done(folder, {"list", "scores", "--json"}));
    CHECK(scores[1].at("name") == "best-fit");
    CHECK_THAT(done(folder, {"list", "filters"}), Catch::Contains("resources-fit"));
    CHECK_THAT(done(folder, {"list", "metrics"}), Catch::Contains("wait_s_p95"));
    CHECK_THAT(done(folder, {"list", "sources"}), Catch::Contains("running"));
    CHECK_THAT(done(folder, {"list", "topologies"}), Catch::Contains("openb, spot"));
    const auto all = nlohmann::json::parse(done(folder, {"list", "--json"}));
    CHECK(all.at("scores") == scores);
    CHECK(all.at("metrics") == nlohmann::json::parse(done(folder, {"list", "metrics", "--json"})));
    CHECK(folder.berth({"list", "metric"}).status == 2);
    CHECK_THAT(folder.berth({"list", "metric"}).err,
               Catch::StartsWith("berth list: error: unknown list 'metric': expected ") &&
                   Catch::Contains("(did you mean 'metrics'?)"));
}

TEST_CASE("each metric of a run has a record with its meaning", "[cli][commands]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    (void)done(folder, {"run", "sound.yaml", "-q"});
    const auto listed = nlohmann::json::parse(done(folder, {"list", "metrics", "--json"}));
    std::set<std::string> known;
    for (const auto& record : listed) {
        CHECK_FALSE(record.at("meaning").get<std::string>().empty());
        known.insert(record.at("name").get<std::string>());
    }
    const auto summary = nlohmann::json::parse(folder.read("out/tiny/summary.json"));
    for (const auto& [name, metric] : summary.at("metrics").items()) {
        const std::regex resource("^(rack|server)_((cpu|memory)_)?|^(cpu|memory)_");
        std::smatch begin;
        // The text in brackets is the kind of jobs that a metric covers.
        std::string record = name.substr(0, name.find('['));
        if (known.count(name) == 0 && std::regex_search(name, begin, resource)) {
            record = (begin[1].matched ? "LEVEL_" : "") +
                     std::string(begin[3].matched || begin[4].matched ? "RESOURCE_" : "") +
                     begin.suffix().str();
        }
        CAPTURE(name, record);
        CHECK(known.count(record) == 1);
    }
}

TEST_CASE("a run ends with the numbers that its page begins with", "[cli][commands]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    const std::string one = done(folder, {"run", "sound.yaml"});
    CHECK_THAT(one,
               Catch::Contains("\n  pods that started ") && Catch::Contains(" CPUs in use ") &&
                   Catch::Contains("  (no intervals: they need several replications") &&
                   Catch::Contains("  results in out/tiny; berth report out/tiny makes a page"));
    CHECK(one.find("±") == std::string::npos);
    const std::string many = done(folder, {"run", "sound.yaml", "--set", "spec.replications=5"});
    CHECK_THAT(many, Catch::Contains(" ± ") && Catch::Contains("95 % confidence interval)"));
    CHECK(done(folder, {"run", "sound.yaml", "-q"}).empty());
}

TEST_CASE("every topology survives the way through each file format", "[cli][commands]") {
    const auto input = GENERATE(from_range(topology_inputs()));
    const std::string format = GENERATE("graphml", "json");
    const Folder folder;
    folder.write(input.name, input.text);
    CAPTURE(input.name, format);
    const std::string text = done(folder, {"topology", input.name});
    const std::string once = done(folder, {"topology", input.name, "--format", format});
    const std::string file = "tree." + format;
    CHECK(done(folder, {"topology", input.name, "-f", format, "-o", file}).empty());
    CHECK(folder.read(file) == once);
    CHECK(done(folder, {"topology", file}) == text);
    CHECK(done(folder, {"topology", file, "--format", format}) == once);
    CHECK(done(folder, {"validate", file}) == file + ": valid\n");
}

TEST_CASE("every topology is drawn with one vertex a node", "[cli][commands]") {
    const Folder folder;
    folder.write("spec.yaml", sound_topology);
    const std::string dot = done(folder, {"topology", "spec.yaml", "--format", "dot"});
    CHECK_THAT(dot, Catch::StartsWith("digraph"));
    CHECK(std::count(dot.begin(), dot.end(), '>') == 6);
    for (const char* name : {"cluster", "rack-1", "server-3"}) {
        CHECK_THAT(dot, Catch::Contains('"' + std::string(name) + '"'));
    }
}

TEST_CASE("a topology is what an experiment may name, in any format", "[cli][commands]") {
    const Folder folder;
    folder.write("spec.yaml", sound_topology);
    (void)done(folder, {"topology", "spec.yaml", "-f", "graphml", "-o", "tree.graphml"});
    (void)done(folder, {"topology", "spec.yaml", "-f", "json", "-o", "tree.json"});
    const std::string head = "kind: Experiment\nspec:\n  topology: {file: ";
    const std::string tail = "}\n  workload: [{pods: [{type: a-1x1, count: 9}]}]\n";
    for (const char* file : {"spec.yaml", "tree.graphml", "tree.json"}) {
        CAPTURE(file);
        folder.write("experiment.yaml", head + file + tail);
        (void)done(folder, {"run", "experiment.yaml", "-o", file + std::string(".run")});
        CHECK(folder.read(file + std::string(".run/pods.csv")) ==
              folder.read("spec.yaml.run/pods.csv"));
    }
}

TEST_CASE("a workload is shown as figures, as CSV and as JSON lines", "[cli][commands]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    const auto rows = csv_rows(done(folder, {"workload", "sound.yaml", "--format", "csv"}));
    REQUIRE(rows.size() > 10);
    CHECK(rows.front().at("job") == "g");
    CHECK(rows.front().at("size") == "4");
    const std::string lines = done(folder, {"workload", "sound.yaml", "--format", "jsonl"});
    CHECK(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) == rows.size());
    const auto first = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
    CHECK(first.at("job") == "g");
    CHECK(first.at("demand").at("cpu") == "4");
    const std::string stats = done(folder, {"workload", "sound.yaml"});
    CHECK(stats == done(folder, {"workload", "sound.yaml", "--stats"}));
    CHECK_THAT(stats,
               Catch::Contains("jobs            " + std::to_string(rows.size()) + "\n") &&
                   Catch::Contains("the largest of 4"));
    (void)done(folder, {"workload", "sound.yaml", "-f", "jsonl", "-o", "jobs.jsonl"});
    CHECK(folder.read("jobs.jsonl") == lines);
}

TEST_CASE("a file is written in the format that its name ends in", "[cli][commands]") {
    const Folder folder;
    folder.write("e.yaml", sound_experiment);
    folder.write("t.yaml", sound_topology);
    const auto same = [&](const Arguments& named, const Arguments& asked, const char* file) {
        CAPTURE(file);
        Arguments arguments = named;
        arguments.insert(arguments.end(), {"-o", file});
        (void)done(folder, arguments);
        CHECK(folder.read(file) == done(folder, asked));
    };
    same({"topology", "t.yaml"}, {"topology", "t.yaml", "--format", "json"}, "a.json");
    same({"topology", "t.yaml"}, {"topology", "t.yaml", "--format", "dot"}, "a.dot");
    same({"topology", "t.yaml"}, {"topology", "t.yaml"}, "a.txt");
    same({"workload", "e.yaml"}, {"workload", "e.yaml", "--format", "csv"}, "a.csv");
    same({"workload", "e.yaml"}, {"workload", "e.yaml", "--format", "jsonl"}, "a.jsonl");
    same({"workload", "e.yaml", "--stats"}, {"workload", "e.yaml"}, "b.csv");
    same({"workload", "e.yaml"}, {"workload", "e.yaml"}, "a.txt");
}

TEST_CASE("every document of the paper is valid", "[cli][commands]") {
    const Folder folder;
    Arguments arguments{"validate"};
    std::string expected;
    for (const auto& entry :
         std::filesystem::directory_iterator(project_file("experiments/paper"))) {
        if (entry.path().extension() == ".yaml") {
            arguments.push_back(entry.path().string());
            expected += entry.path().string() + ": valid\n";
        }
    }
    REQUIRE(arguments.size() > 10);
    CHECK(done(folder, arguments) == expected);
}

TEST_CASE("validate goes on after a file that is wrong", "[cli][commands]") {
    const Folder folder;
    folder.write("bad.yaml", "kind: Topologie\n");
    folder.write("good.yaml", sound_topology);
    const Answer answer = folder.berth({"validate", "bad.yaml", "none.yaml", "good.yaml"});
    CHECK(answer.status == 2);
    CHECK(answer.out == "good.yaml: valid\n");
    CHECK_THAT(answer.err,
               Catch::Contains("bad.yaml:1:7: error: unknown kind 'Topologie'") &&
                   Catch::Contains("none.yaml: error: "));
}

TEST_CASE("a run is reported and drawn", "[cli][commands]") {
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    (void)done(folder, {"run", "sound.yaml"});
    (void)done(folder, {"report", "out/tiny"});
    (void)done(folder, {"report", "out/tiny", "-o", "page.html"});
    CHECK(folder.read("page.html") == folder.read("out/tiny/report.html"));
    CHECK_THAT(folder.read("page.html").substr(0, 15), Catch::StartsWith("<!"));
    (void)done(folder, {"plot", "out/tiny", "--figure", "cluster", "-o", "cluster.svg"});
    CHECK_THAT(folder.read("cluster.svg"), Catch::Contains("<svg"));
    const auto before = folder.listing();
    CHECK(folder.berth({"plot", "out/tiny", "-f", "circle", "-o", "c.svg"}).status == 2);
    CHECK(folder.berth({"plot", "out/tiny", "-f", "cluster", "-o", "c.bmp"}).status == 2);
    CHECK(folder.listing() == before);
}

TEST_CASE("a sweep is reported and drawn", "[cli][commands]") {
    const Folder folder;
    for (const char* file : {"points.csv", "results.csv", "sweep.yaml"}) {
        const std::string kept = std::string("tests/browser/data/tiny-sweep/") + file;
        folder.write(std::string("sweep/") + file, read_file(project_file(kept)));
    }
    (void)done(folder, {"report", "sweep"});
    CHECK_THAT(folder.read("sweep/report.html"), Catch::Contains("load, policy & size"));
    const Arguments plot{"plot", "sweep", "-f", "lines", "--metric", "server_used", "--x", "size"};
    const auto plotted = [&](const Arguments& more) {
        Arguments all = plot;
        all.insert(all.end(), more.begin(), more.end());
        return folder.berth(all);
    };
    CHECK(plotted({"--by", "load", "--where", "policy=pack", "-o", "a.csv"}).status == 0);
    CHECK_THAT(folder.read("a.csv"),
               Catch::StartsWith("load,size,server_used,ci95,") && Catch::Contains("\n0.8,16,"));
    for (const auto& [more, message] : std::vector<std::pair<Arguments, std::string>>{
             {{"--where", "polic=pack"}, "--where: error: unknown axis 'polic' (did you mean"},
             {{"--panel", "load"}, "--panel: error: 'lines' has one panel: expected --figure"},
             {{"other"}, "other: error: a figure is of one sweep: expected no other directory"}}) {
        CAPTURE(message);
        Arguments all = more;
        all.insert(all.end(), {"-o", "b.csv"});
        const Answer answer = plotted(all);
        CHECK(answer.status == 2);
        CHECK_THAT(answer.first_line(), Catch::StartsWith(message));
    }
    folder.write("run/summary.json", "{}");
    CHECK_THAT(folder.berth({"plot", "run", "-f", "cluster", "--x", "a", "-o", "b.svg"}).err,
               Catch::StartsWith("run: error: --x is for sweeps: expected a sweep's directory"));
    CHECK(folder.berth({"report", "sweep", "sweep"}).status == 2);
}

TEST_CASE("place answers each request on its own line", "[cli][commands]") {
    const std::string good =
        R"({"topology": {"levels": ["c", "s"], "tree": {"name": "c", "children": [)"
        R"({"name": "a", "capacity": [4], "allocated": [1]},)"
        R"({"name": "b", "capacity": [4], "allocated": [0]}]}},)"
        R"("group": {"size": 5, "demand": [1], "levelConstraints": []}})";
    const Folder folder;
    const std::string answers =
        done(folder,
             {"place", "--jsonl"},
             {.input = good + "\n{\n[1]\n" + good + "\n{\"group\": 1}\n" + good});
    std::vector<nlohmann::json> lines;
    for (std::size_t at = 0; at < answers.size(); at = answers.find('\n', at) + 1) {
        lines.push_back(nlohmann::json::parse(answers.substr(at, answers.find('\n', at) - at)));
    }
    REQUIRE(lines.size() == 6);
    CHECK(lines[0].at("placed") == 5);
    CHECK(lines[0] == lines[3]);
    CHECK(lines[0] == lines[5]);
    for (const std::size_t wrong : {1U, 2U, 4U}) {
        CHECK(lines[wrong].size() == 1);
        CHECK(lines[wrong].contains("error"));
    }
    CHECK(done(folder, {"place", "--jsonl"}).empty());
}

TEST_CASE("a dash is the standard input and output", "[cli][commands]") {
    const Folder folder;
    folder.write("spec.yaml", sound_topology);
    folder.write("sound.yaml", sound_experiment);
    CHECK(done(folder, {"topology", "-", "-o", "-"}, {.input = sound_topology}) ==
          done(folder, {"topology", "spec.yaml"}));
    (void)done(folder, {"run", "-", "-o", "piped", "--quiet"}, {.input = sound_experiment});
    (void)done(folder, {"run", "sound.yaml", "-o", "named", "--quiet"});
    CHECK(folder.read("piped/manifest.json") == folder.read("named/manifest.json"));
    CHECK(done(folder, {"validate", "-"}, {.input = sound_topology}) == "-: valid\n");
}

TEST_CASE("an experiment on the standard input is shown by every command", "[cli][commands]") {
    const Folder folder;
    const std::string command = GENERATE("topology", "workload", "validate");
    (void)done(folder, {command, "-"}, {.input = sound_experiment});
}

TEST_CASE("compressed files are read as they are", "[cli][commands]") {
    const auto input = GENERATE(Input{"sound.yaml.gz", stored_gzip(sound_experiment)},
                                Input{"sound.yaml.zst", stored_zstd(sound_experiment)});
    const Folder folder;
    folder.write("sound.yaml", sound_experiment);
    folder.write(input.name, input.text);
    for (const char* command : {"topology", "workload"}) {
        CHECK(done(folder, {command, input.name}) == done(folder, {command, "sound.yaml"}));
    }
    (void)done(folder, {"run", "sound.yaml", "-o", "plain"});
    (void)done(folder, {"run", input.name, "-o", "packed"});
    CHECK(folder.read("plain/manifest.json") == folder.read("packed/manifest.json"));
}
