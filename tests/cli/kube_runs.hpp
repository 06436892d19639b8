#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "csv_rows.hpp"
#include "folder.hpp"

namespace berth::tests {

/// Runs an experiment that must be sound; its results are in `out/run`. Returns: its warnings.
inline std::string run_sound(const Folder& folder, const std::string& text) {
    folder.write("run.yaml", text);
    const Answer answer = folder.berth({"run", "run.yaml", "-o", "out/run", "--check-invariants"});
    CAPTURE(answer.err);
    REQUIRE(answer.status == 0);
    return answer.err;
}

inline std::vector<CsvRow> pods_of(const Folder& folder) {
    return csv_rows(folder.read("out/run/pods.csv"));
}

/// How many pods run in each of two zones of two servers, of those whose names begin so.
inline std::map<std::string, int> zones_of(const Folder& folder, const std::string& name = "") {
    std::map<std::string, int> zones;
    for (const CsvRow& pod : pods_of(folder)) {
        if (pod.at("pod").starts_with(name)) {
            const std::string& node = pod.at("node");
            ++zones[node.empty() ? "none" : node <= "server-1" ? "zone-0" : "zone-1"];
        }
    }
    return zones;
}

}  // namespace berth::tests
