/// Commands write the same bytes with another C library, whose functions differ in their last bits.

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "cli/folder.hpp"

using namespace berth::tests;

namespace {

/// Every distribution, arrivals by time of day and in bursts, background load, and shared GPUs that
/// are assigned by fragmentation.
const std::string experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: every-law}
spec:
  replications: 4
  topology:
    spec:
      levels:
        - {name: rack, count: 3}
        - {name: server, count: 4}
      machines: [{type: host}]
      machineTypes:
        host: {capacity: {cpu: 64, memory: 512Gi, nvidia.com/gpu: 8}}
  types:
    share: {cpu: 2, memory: 8Gi, nvidia.com/gpu: 0.3}
    half: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 0.5}
    whole: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 2}
    plain: {cpu: 12, memory: 32Gi}
  workload:
    - background: {load: 0.3, full: 0.1, idle: 0.1, variation: 0.6}
    - generate:
        name: a
        arrivals: {distribution: exponential, mean: 40s}
        diurnal: {period: 2h, amplitude: 0.7, peak: 20m}
        bursts: {every: 30m, length: 5m, factor: 4}
        service: {distribution: log-normal, mean: 15m, variation: 2}
        type: share
        until: 3h
    - generate:
        name: b
        arrivals: {distribution: weibull, shape: 0.7, scale: 1m}
        service: {distribution: pareto, shape: 1.6, min: 3m}
        type: whole
        until: 3h
    - generate:
        name: c
        arrivals: {distribution: log-normal, mean: 2m, variation: 0.5}
        service: {distribution: weibull, shape: 1.7, scale: 20m}
        type: half
        until: 3h
    - generate:
        name: d
        arrivals: {distribution: exponential, mean: 90s}
        service: {distribution: uniform, min: 5m, max: 30m}
        type: plain
        until: 3h
  scheduler:
    retry: always
    profile:
      reserve: [gpu-sharing]
      filter: [resources-fit]
      score: [fragmentation-gradient-descent]
  record: {sampleEvery: 5m}
)";

std::vector<std::string> files_of(const Folder& folder) {
    std::vector<std::string> files;
    for (const std::string& name : folder.listing()) {
        if (!name.ends_with('/') && !name.ends_with("run.json")) {
            files.push_back(name);
        }
    }
    return files;
}

void make_runs(const Folder& folder, const Circumstances& how) {
    folder.write("e.yaml", experiment);
    (void)done(folder, {"run", "e.yaml", "-o", "one"}, how);
    (void)done(folder, {"run", "e.yaml", "-o", "other", "--set", "spec.types.whole.cpu=9"}, how);
}

void make_pages(const Folder& folder, const Circumstances& how) {
    (void)done(folder, {"compare", "one", "other", "--all", "-o", "differences.csv"}, how);
    (void)done(folder, {"compare", "one", "other", "--all", "-o", "differences.json"}, how);
    (void)done(folder, {"report", "one", "-o", "one.html"}, how);
    for (const std::string figure : {"distribution", "timeseries", "wait-cdf"}) {
        (void)done(folder, {"plot", "one", "--figure", figure, "-o", figure + ".csv"}, how);
    }
}

}  // namespace

TEST_CASE("C library: another one has other last bits", "[c_library]") {
    void* const library = dlopen(BERTH_OTHER_C_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    const auto other_log = reinterpret_cast<double (*)(double)>(dlsym(library, "log"));
    const auto other_log1pl =
        reinterpret_cast<long double (*)(long double)>(dlsym(library, "log1pl"));
    REQUIRE(other_log != nullptr);
    REQUIRE(other_log1pl != nullptr);
    const double log3 = std::log(3.0);
    CHECK(other_log(3) != log3);
    CHECK(other_log(3) == Approx(log3).epsilon(1e-12));
    CHECK(other_log1pl(2) != std::log1p(2.0L));
}

TEST_CASE("C library: commands write the same bytes with another one", "[c_library]") {
    const Folder folder;
    const Folder other;
    Circumstances how;
    how.variables = {"LD_PRELOAD=" BERTH_OTHER_C_LIBRARY};
    make_runs(folder, {});
    make_runs(other, how);
    // run.json says how long the run took, and the page shows that.
    other.write("one/run.json", folder.read("one/run.json"));
    make_pages(folder, {});
    make_pages(other, how);
    const std::vector<std::string> files = files_of(folder);
    REQUIRE(files == files_of(other));
    CHECK(files.size() > 20);
    for (const std::string& file : files) {
        CAPTURE(file);
        CHECK((folder.read(file) == other.read(file)));
    }
}
