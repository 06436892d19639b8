#include "experiments/program/results/read_summary.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>

using namespace berth::report;
namespace fs = std::filesystem;

namespace {

/// Folders of runs, in a folder that is removed at the end.
class Runs {
public:
    Runs() : path_(fs::temp_directory_path() / ("berth-warnings-" + std::to_string(::getpid()))) {}
    ~Runs() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    fs::path with(const std::string& name, const std::string& summary) const {
        fs::create_directories(path_ / name);
        std::ofstream(path_ / name / "summary.json") << summary;
        return path_ / name;
    }

private:
    fs::path path_;
};

}  // namespace

TEST_CASE("sweep warnings: one sentence a kind, with how many points have it", "[report][sweep]") {
    const Runs runs;
    const auto a = runs.with("a", R"({"warnings": ["types: x", "short: worth about 4"]})");
    const auto b = runs.with("b", R"({"warnings": ["short: worth about 7", "drain: empties"]})");
    const auto c = runs.with("c", "{}");
    CHECK(sweep_warnings({c, a, b}, {"load 1", "load 2", "load 3"}) ==
          std::vector<std::string>{
              "2 of 3 points have doubtful means; the first, load 2: short: worth about 4",
              "1 of 3 points has doubtful means; load 3: drain: empties"});
    CHECK(kinds_of_warnings(b) == "short, drain");
    CHECK(kinds_of_warnings(c).empty());
}

TEST_CASE("sweep warnings: a folder without a summary warns of nothing", "[report][sweep]") {
    const Runs runs;
    CHECK(warnings_about_means("/does/not/exist").empty());
    CHECK(warnings_about_means(runs.with("cut", R"({"warnings": ["sho)")).empty());
}
