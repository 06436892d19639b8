/// Compares what `berth sweep` says it will write with what it then writes.

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/cli/folder.hpp"

using namespace berth::tests;

namespace {

/// A sweep with two points of an experiment of the project.
std::string two_points_of(const std::string& experiment) {
    return "apiVersion: berth/v1\nkind: Sweep\nmetadata: {name: s}\nspec:\n  experiment: {file: '" +
           project_file(experiment) + "'}\n" +
           "  replications: 1\n"
           "  axes:\n    - {name: base, path: spec.seed, values: [1, 2]}\n";
}

/// The number of bytes that a dry run states.
double said(const std::string& text) {
    const std::string before = "will write about ";
    const std::size_t at = text.find(before);
    REQUIRE(at != std::string::npos);
    std::size_t length = 0;
    const double number = std::stod(text.substr(at + before.size()), &length);
    const std::string unit = text.substr(at + before.size() + length, 4);
    REQUIRE((unit == " kB " || unit == " MB " || unit == " kB;" || unit == " MB;"));
    return number * (unit[1] == 'k' ? 1e3 : 1e6);
}

double bytes_below(const std::filesystem::path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        bytes += entry.is_regular_file() ? entry.file_size() : 0;
    }
    return static_cast<double>(bytes);
}

}  // namespace

TEST_CASE("sweep: what it says it will write is within a factor of two of what it writes",
          "[cli][sweep][sweep-size]") {
    const std::string count = "spec.workload[0].generate.count=";
    const auto [experiment, settings] = GENERATE_COPY(table<std::string, Arguments>({
        {"experiments/scale/pods.yaml", {"--set", count + "5000"}},
        {"experiments/scale/pods.yaml",
         {"--set", count + "20000", "--set", "spec.record.placements=false"}},
        {"experiments/scale/pods.yaml",
         {"--set", count + "3000", "--set", "spec.record.sampleEvery=arrival"}},
        {"experiments/scale/overload.yaml", {"--set", count + "5000"}},
        {"experiments/devices/jobs.yaml", {}},
        {"experiments/quota/company.yaml", {}},
        {"experiments/fgd/departures.yaml", {}},
        {"docs/examples/locality.yaml", {}},
    }));
    const Arguments form = GENERATE(Arguments{},
                                    Arguments{"--compress", "zst"},
                                    Arguments{"--tables", "arrow"},
                                    Arguments{"--tables", "arrow", "--compress", "zst"});
    const Folder folder;
    folder.write("sweep.yaml", two_points_of(experiment));
    Arguments sweep{"sweep", "sweep.yaml", "-o", "out"};
    sweep.insert(sweep.end(), settings.begin(), settings.end());
    sweep.insert(sweep.end(), form.begin(), form.end());
    Arguments dry = sweep;
    dry.emplace_back("--dry-run");
    const double expected = said(folder.berth(dry).err);
    (void)done(folder, sweep);
    const double written = bytes_below(folder.path() / "out/points");
    CAPTURE(experiment, settings, form, expected, written);
    CHECK(expected > written / 2);
    CHECK(expected < written * 2);
}
