// The ready experiments of backfill over what is inside servers: they run, and backfill pays.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/folder.hpp"

using namespace berth::tests;

TEST_CASE("backfill: jobs overtake on shared GPUs, devices and candidates", "[cli]") {
    const std::string experiment = GENERATE("fgd", "devices", "providers");
    CAPTURE(experiment);
    const Folder folder;
    const auto mean_wait = [&](const std::string& queue) {
        (void)done(folder,
                   {"run",
                    project_file("experiments/" + experiment + "/backfill.yaml"),
                    "--quiet",
                    "--set",
                    "spec.replications=1",
                    "--set",
                    "spec.scheduler.profile.queueSort=" + queue,
                    "-o",
                    queue});
        return nlohmann::json::parse(folder.read(queue + "/summary.json"))
            .at("metrics")
            .at("job_wait_s_mean")
            .at("mean")
            .get<double>();
    };
    const double strict = mean_wait("fcfs");
    CHECK(mean_wait("easy-backfill") < 0.5 * strict);
    CHECK(mean_wait("conservative-backfill") < 0.5 * strict);
}
