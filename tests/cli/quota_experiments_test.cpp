// The experiments of experiments/quota: they run, their claims hold, and their results are
// unchanged.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "csv_rows.hpp"
#include "folder.hpp"

using namespace berth::tests;

namespace {

const std::string quota_folder = "experiments/quota/";

std::set<std::string> quota_experiments() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(project_file(quota_folder))) {
        if (entry.path().extension() == ".yaml" &&
            read_file(entry.path()).find("kind: Experiment") != std::string::npos) {
            names.insert(entry.path().stem().string());
        }
    }
    return names;
}

void run(const Folder& folder, const std::string& name) {
    (void)done(folder, {"run", project_file(quota_folder + name + ".yaml"), "-o", name, "--quiet"});
}

}  // namespace

TEST_CASE("quota experiments: claims hold, and fingerprints are as before", "[cli][golden]") {
    REQUIRE(quota_experiments().size() >= 3);
    const Folder folder;
    std::string fingerprints = "experiment,fingerprint,pods,quotas\n";
    for (const std::string& name : quota_experiments()) {
        CAPTURE(name);
        run(folder, name);
        const auto summary = nlohmann::json::parse(folder.read(name + "/summary.json"));
        for (const auto& claim : summary.at("claims")) {
            CAPTURE(claim.dump());
            CHECK(claim.at("holds") == true);
        }
        const auto manifest = nlohmann::json::parse(folder.read(name + "/manifest.json"));
        const auto& files = manifest.at("files");
        fingerprints += name + "," + manifest.at("fingerprint").get<std::string>() + "," +
                        files.at("pods.csv").get<std::string>() + "," +
                        files.at("quotas.csv").get<std::string>() + "\n";
    }
    const std::filesystem::path file = project_file("tests/golden/quota-fingerprints.csv");
    if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(file, std::ios::binary) << fingerprints;
    }
    CHECK(read_file(file) == fingerprints);
}

TEST_CASE("quota experiments: the seed's worked example", "[cli][quota]") {
    const Folder folder;
    run(folder, "worked-example");
    int seen = 0;
    for (const CsvRow& row : csv_rows(folder.read("worked-example/quotas.csv"))) {
        const std::map<std::string, std::string> runtimes{
            {"A", "5"}, {"B", "20"}, {"C", "35"}, {"D", "40"}};
        if (const auto expected = runtimes.find(row.at("quota")); expected != runtimes.end()) {
            CHECK(row.at("runtime") == expected->second);
            CHECK(row.at("used") == expected->second);
            ++seen;
        }
    }
    CHECK(seen >= 4 * 30);
}

TEST_CASE("quota experiments: lending and taking back, at their times", "[cli][quota]") {
    const Folder folder;
    run(folder, "lend-and-take-back");
    const auto evictions = csv_rows(folder.read("lend-and-take-back/evictions.csv"));
    CHECK(evictions.size() == 50);
    for (const CsvRow& row : evictions) {
        CHECK(row.at("time_s") == "3610");
        CHECK(row.at("quota") == "A");
        CHECK(row.at("cause") == "revoked");
    }
    for (const CsvRow& row : csv_rows(folder.read("lend-and-take-back/pods.csv"))) {
        CHECK(row.at("outcome") == "finished");
    }
}
