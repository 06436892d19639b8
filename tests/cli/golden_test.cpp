#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string paper_folder = "experiments/paper/";

/// Compares a text with a file of tests/golden; BERTH_UPDATE_GOLDEN=1 writes the file instead.
void check_golden(const std::string& name, const std::string& text) {
    const std::filesystem::path file = project_file("tests/golden/" + name);
    CAPTURE(name);
    if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    CHECK(read_file(file) == text);
}

void run_paper(const Folder& folder, const std::string& name) {
    (void)done(folder, {"run", project_file(paper_folder + name + ".yaml"), "-o", name, "--quiet"});
}

/// The names of the experiments of the paper.
std::set<std::string> paper_experiments() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(project_file(paper_folder))) {
        if (entry.path().extension() == ".yaml" &&
            read_file(entry.path()).find("kind: Experiment") != std::string::npos) {
            names.insert(entry.path().stem().string());
        }
    }
    return names;
}

using Counts = std::map<std::string, int>;  // by the name of a node

/// The number of members by server.
Counts placed_members(const Folder& folder, const std::string& run) {
    Counts members;
    for (const CsvRow& pod : csv_rows(folder.read(run + "/pods.csv"))) {
        ++members[pod.at("node")];
    }
    return members;
}

Counts shown_members(const std::string& experiment) {
    Counts members;
    for (const CsvRow& row :
         csv_rows(read_file(project_file("tests/golden/paper-placements.csv")))) {
        if (row.at("experiment") == experiment) {
            members[row.at("server")] = std::stoi(row.at("members"));
        }
    }
    return members;
}

/// The servers in use, each as room, rack, the number of members for which it had room, and the
/// number that it took.
std::multiset<std::string> kinds_of_servers(const Counts& members,
                                            const std::vector<CsvRow>& nodes) {
    std::multiset<std::string> kinds;
    for (const CsvRow& node : nodes) {
        if (const auto used = members.find(node.at("node")); used != members.end()) {
            kinds.insert(node.at("room") + " " + node.at("rack") + " room for " +
                         std::to_string((16 - std::stoi(node.at("cpu_background"))) / 2) +
                         " members " + std::to_string(used->second));
        }
    }
    return kinds;
}

std::multiset<int> sums_over(const std::string& level,
                             const Counts& members,
                             const std::vector<CsvRow>& nodes) {
    Counts sums;
    for (const CsvRow& node : nodes) {
        if (const auto used = members.find(node.at("node")); used != members.end()) {
            sums[node.at(level)] += used->second;
        }
    }
    std::multiset<int> out;
    for (const auto& [name, sum] : sums) {
        out.insert(sum);
    }
    return out;
}

std::multiset<int> of(const std::map<int, std::size_t>& times_by_count) {
    std::multiset<int> out;
    for (const auto& [count, times] : times_by_count) {
        for (std::size_t i = 0; i < times; ++i) {
            out.insert(count);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("the paper's runs give the files they gave before", "[cli][golden]") {
    const std::string name =
        GENERATE("worked-example", "pack-rack-soft", "spread-rack-soft", "spread-rack-server-soft");
    const Folder folder;
    run_paper(folder, name);
    for (const char* file : {"summary.json", "groups.csv"}) {
        check_golden(name + "/" + file, folder.read(name + "/" + file));
    }
}

TEST_CASE("the paper's experiments have the fingerprints they had before", "[cli][golden]") {
    const Folder folder;
    std::string fingerprints = "experiment,fingerprint,groups\n";
    for (const std::string& name : paper_experiments()) {
        run_paper(folder, name);
        const auto manifest = nlohmann::json::parse(folder.read(name + "/manifest.json"));
        fingerprints += name + "," + manifest.at("fingerprint").get<std::string>() + "," +
                        manifest.at("files").at("groups.csv").get<std::string>() + "\n";
    }
    check_golden("fingerprints.csv", fingerprints);
}

TEST_CASE("what the paper claims holds", "[cli][golden]") {
    const Folder folder;
    for (const std::string& name : paper_experiments()) {
        run_paper(folder, name);
        const auto summary = nlohmann::json::parse(folder.read(name + "/summary.json"));
        CAPTURE(name);
        CHECK_FALSE(summary.at("claims").empty());
        for (const auto& claim : summary.at("claims")) {
            CAPTURE(claim.dump());
            CHECK(claim.at("holds") == true);
        }
    }
}

TEST_CASE("the paper's figures are met but for an exchange of equal servers", "[cli][golden]") {
    struct Figure {
        std::string name;
        std::multiset<int> by_rack;
        std::size_t servers;
        std::multiset<int> by_server;
    };
    const Figure figure =
        GENERATE(Figure{"pack-rack-soft",
                        of({{108, 1}, {12, 1}}),
                        20,
                        of({{8, 10}, {7, 2}, {5, 2}, {4, 2}, {3, 1}, {2, 2}, {1, 1}})},
                 Figure{"spread-rack-soft", of({{15, 8}}), 16, of({{8, 8}, {7, 8}})},
                 Figure{"spread-rack-server-soft", of({{15, 8}}), 114, of({{2, 6}, {1, 108}})});
    const Folder folder;
    run_paper(folder, figure.name);
    const auto nodes = csv_rows(folder.read(figure.name + "/nodes.csv"));
    const Counts members = placed_members(folder, figure.name);
    CHECK(sums_over("room", members, nodes) == std::multiset<int>{120});
    CHECK(sums_over("rack", members, nodes) == figure.by_rack);
    CHECK(sums_over("node", members, nodes) == figure.by_server);
    CHECK(members.size() == figure.servers);
    CHECK(kinds_of_servers(members, nodes) == kinds_of_servers(shown_members(figure.name), nodes));
}

TEST_CASE("the paper's figures use its second room", "[cli][golden]") {
    const std::string name =
        GENERATE("pack-rack-soft", "spread-rack-soft", "spread-rack-server-soft");
    const Folder folder;
    run_paper(folder, name);
    const Counts members = placed_members(folder, name);
    for (const CsvRow& node : csv_rows(folder.read(name + "/nodes.csv"))) {
        if (members.contains(node.at("node"))) {
            CHECK(node.at("room") == "room-1");
        }
    }
}

TEST_CASE("a fingerprint tells placements apart", "[cli][golden]") {
    const Folder folder;
    std::set<std::string> fingerprints;
    for (const char* name : {"pack-rack-soft", "spread-rack-soft", "spread-rack-server-soft"}) {
        run_paper(folder, name);
        const auto manifest =
            nlohmann::json::parse(folder.read(name + std::string("/manifest.json")));
        fingerprints.insert(manifest.at("fingerprint").get<std::string>());
    }
    CHECK(fingerprints.size() == 3);
}
