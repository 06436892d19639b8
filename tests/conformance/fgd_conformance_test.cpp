// Compares the policies of core and runs of berth with the published simulator of the FGD paper.

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/gpu_sharing/gpu_policy.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/gpu_cluster.hpp"

using namespace berth;
using core::Amount;
using core::GpuMilli;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

const fs::path vectors = fs::path(BERTH_SOURCE_DIR) / "../shared/vectors/fgd";

std::string read_gzip(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    boost::iostreams::filtering_istream in;
    in.push(boost::iostreams::gzip_decompressor());
    in.push(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(std::istream& in) {
    const auto split = [](const std::string& line) {
        std::vector<std::string> cells(1);
        for (const char c : line) {
            if (c == ',') {
                cells.emplace_back();
            } else {
                cells.back() += c;
            }
        }
        return cells;
    };
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> header = split(line);
    std::vector<Row> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = split(line);
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i) {
            row[header[i]] = cells[i];
        }
    }
    return rows;
}

std::vector<std::string> models_of(const std::string& text) {
    std::vector<std::string> models;
    std::istringstream in(text);
    for (std::string model; std::getline(in, model, '|');) {
        models.push_back(model);
    }
    return models;
}

/// The typical pods of a vector file, with the weights stated there.
core::TypicalPods typical_pods(std::istream& in) {
    core::TypicalPods typical;
    std::string line;
    while (std::getline(in, line)) {
        const json pod = json::parse(line);
        const Amount count = pod["num_gpu"];
        typical.pods.push_back(
            {pod["cpu_milli"],
             {count > 0 ? pod["gpu_milli"].get<Amount>() : 0, count, models_of(pod["gpu_spec"])},
             1,
             pod["pct"]});
    }
    typical.count = static_cast<std::int64_t>(typical.pods.size());
    return typical;
}

core::TypicalPods default_typical_pods() {
    std::ifstream file(vectors / "typical-default.jsonl");
    return typical_pods(file);
}

std::vector<GpuMilli> shares_of(const json& list) {
    std::vector<GpuMilli> shares;
    for (const json& share : list) {
        shares.push_back(share);
    }
    return shares;
}

core::GpuRequest request_of(const json& pod) {
    const Amount count = pod["num_gpu"];
    return {count > 0 ? pod["gpu_milli"].get<Amount>() : 0, count, models_of(pod["gpu_spec"])};
}

/// The server of a vector, and the policies applied to it.
class NodeState {
public:
    NodeState(const json& node, const core::TypicalPods& typical)
        : models_(*tests::gpu_cluster({{node["name"],
                                        node["cpu_milli"],
                                        1,
                                        static_cast<std::int64_t>(node["gpu_left"].size()),
                                        node["model"]}})),
          fragmentation_(typical, sets_, models_),
          free_(shares_of(node["gpu_left"])),
          server_{node["cpu_left"], sets_.of(free_), free_, 0, kinds_of(node["affinity"])} {}

    void check_classes(const json& expected) {
        const auto classes = fragmentation_.by_class(
            server_.set, fragmentation_.cpu_rank(server_.cpu_free), server_.model);
        for (std::size_t part = 0; part < classes.size(); ++part) {
            const auto name = std::string(to_string(static_cast<core::FragmentClass>(part)));
            CAPTURE(name);
            REQUIRE(classes[part] == Approx(expected.at(name).get<double>()).margin(1e-9));
        }
    }

    void check_pod(const json& vector) {
        CAPTURE(vector.dump());
        const core::GpuRequest request = request_of(vector["pod"]);
        const core::GpuPod pod{vector["pod"]["cpu_milli"],
                               static_cast<GpuMilli>(request.milli),
                               static_cast<std::uint32_t>(request.count),
                               static_cast<std::uint32_t>(request.milli + 2000 * request.count)};
        const bool feasible = server_.cpu_free >= pod.cpu &&
                              sets_.fits(server_.set, pod.milli, pod.count) &&
                              (pod.count == 0 || models_.accepted(request)[0] != 0);
        REQUIRE(feasible == vector["feasible"].get<bool>());
        if (!feasible) {
            return;
        }
        const std::map<std::string, std::string> names{{"BestFit", "best-fit"},
                                                       {"DotProd_merge", "dot-product"},
                                                       {"FGD", "fragmentation-gradient-descent"},
                                                       {"GpuClustering", "gpu-clustering"},
                                                       {"GpuPacking", "gpu-packing"}};
        for (const auto& [published, name] : names) {
            CAPTURE(name);
            const auto entry =
                std::ranges::find(core::gpu_policies(), name, &core::GpuPolicyEntry::name);
            const auto policy = entry->make({sets_, fragmentation_, 1});
            REQUIRE(policy->score(server_, pod) == vector["scores"][published].get<std::int32_t>());
            const char* const choice = published == "FGD" ? "gpu_fgd" : "gpu_best";
            if (pod.is_share()) {
                REQUIRE(std::to_string(policy->device(server_, pod)) ==
                        vector[choice].get<std::string>());
            }
        }
    }

private:
    /// The kinds of GPU requests, from keys such as `share-gpu` and `2-gpu`.
    static std::uint64_t kinds_of(const json& affinity) {
        std::uint64_t kinds = 0;
        for (const auto& [name, count] : affinity.items()) {
            const bool share = name.starts_with("share");
            kinds |= core::bit(core::gpu_kind(share ? 1 : 1000, share ? 1 : std::stoll(name)));
        }
        return kinds;
    }

    core::GpuSets sets_;
    core::GpuModels models_;
    core::Fragmentation fragmentation_;
    std::vector<GpuMilli> free_;
    core::GpuServer server_;
};

/// Supplies pods in the order of a file, one after another.
class FileOrder final : public sim::PodSource {
public:
    explicit FileOrder(const std::vector<Row>& pods) : pods_(pods) {}
    std::optional<sim::Job> next() override {
        if (at_ == pods_.size()) {
            return std::nullopt;
        }
        const Row& row = pods_[at_];
        sim::Job job;
        job.name = row.at("name");
        job.submit = std::chrono::seconds(at_++);
        core::GpuRequest request;
        request.count = std::stoll(row.at("num_gpu"));
        request.milli = request.count > 0 ? std::stoll(row.at("gpu_milli")) : 0;
        request.models = models_of(row.at("gpu_spec"));
        job.demand = {std::stoll(row.at("cpu_milli")),
                      std::stoll(row.at("memory_mib")) << 20,
                      request.total_milli()};
        job.gpus = std::make_shared<const core::GpuRequest>(request);
        return job;
    }

private:
    const std::vector<Row>& pods_;
    std::size_t at_ = 0;
};

/// Collects `node` and `devices` of each job, in the form of placements.csv.
class Placements final : public sim::RecordSink {
public:
    explicit Placements(const core::Topology& tree) : tree_(tree) {}
    void job(const sim::JobRecord& record) override {
        auto& [node, devices] = tests::at_arrival(placed, record.arrival);
        if (!record.stints.empty()) {
            const sim::Stint& stint = record.stints.front();
            node = tree_.name(tree_.node_of(stint.server));
            core::for_each_bit(stint.grants.empty() ? 0 : stint.grants.front().gpus.devices,
                               [&](std::size_t device) {
                                   devices += (devices.empty() ? "" : "-") + std::to_string(device);
                               });
        }
    }
    void sample(sim::SimTime /*at*/, std::span<const double> values) override {
        last.assign(values.begin(), values.end());
    }

    std::vector<std::pair<std::string, std::string>> placed;
    std::vector<double> last;

private:
    const core::Topology& tree_;
};

}  // namespace

TEST_CASE("fgd: states of servers, where they are at hand", "[conformance][fgd]") {
    if (!fs::exists(vectors)) {
        WARN("the vectors are not beside the project");
        return;
    }
    const core::TypicalPods typical = default_typical_pods();
    std::istringstream lines(read_gzip(vectors / "node-states.jsonl.gz"));
    std::size_t states = 0;
    for (std::string line; std::getline(lines, line); ++states) {
        const json vector = json::parse(line);
        NodeState state(vector["node"], typical);
        state.check_classes(vector["frag_by_class"]);
        for (const json& pod : vector["pods"]) {
            state.check_pod(pod);
        }
    }
    CHECK(states > 100);
}

TEST_CASE("fgd: every pod on its node and devices, where they are at hand", "[conformance][fgd]") {
    if (!fs::exists(vectors)) {
        WARN("the vectors are not beside the project");
        return;
    }
    const fs::path folder = vectors / "default-seed42";
    std::ifstream node_file(folder / "nodes.csv");
    std::ifstream pod_file(folder / "pods.csv");
    const std::vector<Row> pods = rows_of(pod_file);
    std::istringstream placement_text(read_gzip(folder / "placements.csv.gz"));
    const std::vector<Row> expected = rows_of(placement_text);
    const json finals = json::parse(std::ifstream(folder / "final.json"));
    std::vector<tests::GpuMachine> machines;
    for (const Row& row : rows_of(node_file)) {
        machines.push_back({row.at("sn"),
                            std::stoll(row.at("cpu_milli")),
                            std::stoll(row.at("memory_mib")),
                            std::stoll(row.at("gpu")),
                            row.at("model")});
    }
    const auto tree = tests::gpu_cluster(machines);
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        const std::string policy(entry.name);
        if (policy == "random") {
            continue;  // only the distribution of its choices is the same
        }
        CAPTURE(policy);
        sim::Settings settings;
        settings.retry = false;
        settings.sample_arrivals = true;
        settings.profile.inside.gpus.emplace().policy = policy;
        settings.profile.inside.gpus->typical =
            std::make_shared<const core::TypicalPods>(default_typical_pods());
        core::Ledger ledger(tree);
        FileOrder source(pods);
        Placements sink(*tree);
        sim::RunControl control;
        (void)sim::Simulation(ledger, source, settings, sink, control).run();
        REQUIRE(sink.placed.size() == expected.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            wrong += sink.placed[i].first != expected[i].at(policy + ":node") ||
                             sink.placed[i].second != expected[i].at(policy + ":gpus")
                         ? 1
                         : 0;
        }
        CHECK(wrong == 0);
        // The last columns are the seven classes; the allocated and arrived amounts stand before
        // the fragmentation.
        const json& final = finals.at(policy);
        const std::size_t classes = sink.last.size() - core::fragment_class_count;
        CHECK(sink.last[classes - 2] == final.at("alloc_gpu_milli").get<double>());
        CHECK(sink.last[classes - 3] == final.at("arrived_gpu_milli").get<double>());
    }
}
