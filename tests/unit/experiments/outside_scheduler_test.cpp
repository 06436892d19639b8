/// A host that makes the scheduler that an experiment names.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/sha256.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

using namespace berth;
namespace fs = std::filesystem;

namespace {

constexpr const char* experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: outside}
spec:
  replications: 2
  topology:
    spec:
      levels: [{name: server, count: 1}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 4}}}
  types: {one: {cpu: 3}}
  scheduler: {python: "policy.py:Last", params: {patience: 3}}
  workload:
    - pods:
        - {name: a, type: one, lifetime: 10s}
        - {name: b, type: one, lifetime: 10s, quota: red}
)";

/// Starts the job that came last, on the first server.
class Last final : public sim::OutsidePolicy {
public:
    void decide(sim::OutsideActions& act) override {
        if (evicts && act.now() == sim::SimTime(0)) {
            act.wake(std::chrono::seconds(4));
        } else if (evicts && act.now() == std::chrono::seconds(4)) {
            act.evict(*act.running().begin());
        }
        while (!act.waiting().empty() && (breaks_rules || act.running().empty())) {
            sim::JobId last;
            for (const sim::JobId id : act.waiting()) {
                last = id;
            }
            act.start(last, {{act.cluster().topology().node_of(core::ServerId{0}), 1}});
        }
    }

    static inline bool breaks_rules = false;
    static inline bool evicts = false;
};

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("outside: a host makes the scheduler that an experiment names",
          "[experiments][outside]") {
    std::string name = (fs::temp_directory_path() / "berth-outside-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    const fs::path folder = name;
    std::ofstream(folder / "policy.py") << "class Last: ...\n";
    std::ofstream(folder / "e.yaml") << experiment;

    const auto resolved = experiments::resolve_experiment(folder / "e.yaml", {});
    core::Diagnostics diagnostics;
    auto spec = experiments::read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    REQUIRE(spec->outside);
    CHECK(spec->outside->file == (folder / "policy.py").string());
    CHECK(spec->outside->object == "Last");
    CHECK(spec->outside->params.find("patience")->text == "3");

    std::vector<std::uint64_t> seeds;
    spec->outside->make = [&](std::uint32_t /*replication*/, std::uint64_t seed) {
        seeds.push_back(seed);
        return [](const sim::OutsideActions& /*see*/) { return std::make_unique<Last>(); };
    };
    sim::RunControl control;
    experiments::RunDirectory directory(folder / "run");
    (void)experiments::run_experiment(*spec, resolved.document, directory, {}, control);
    CHECK(seeds.size() == 2);
    CHECK(seeds[0] != seeds[1]);
    const std::string written = text_of(folder / "run" / "experiment.yaml");
    CHECK(written.find(*experiments::sha256_of(folder / "policy.py")) != std::string::npos);
    const std::string pods = text_of(folder / "run" / "pods.csv");
    CAPTURE(pods);
    CHECK(pods.find(",red,") != std::string::npos);

    Last::evicts = true;
    experiments::RunDirectory evicts(folder / "evicts");
    (void)experiments::run_experiment(*spec, resolved.document, evicts, {}, control);
    Last::evicts = false;
    CHECK(text_of(folder / "evicts" / "evictions.csv").find("\n0,4,b,red,preempted,4,") !=
          std::string::npos);

    Last::breaks_rules = true;
    experiments::RunDirectory wrong(folder / "wrong");
    CHECK_THROWS_WITH(
        experiments::run_experiment(*spec, resolved.document, wrong, {}, control),
        "outside: error: replication 0, at 0 s: job 'a' cannot start: server 'server-0' has 1 cpu "
        "free, and 1 member of 3 each are to start there");
    Last::breaks_rules = false;
    CHECK_FALSE(fs::exists(folder / "wrong"));
    fs::remove_all(folder);
}
