#include "tests/unit/sim/outage_runs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>
#include <utility>

#include "core/index/scorer.hpp"
#include "tests/support/list_source.hpp"

using namespace std::chrono_literals;

namespace berth::tests {

std::shared_ptr<const core::Topology> racks_of(std::uint32_t racks, std::uint32_t servers) {
    core::ResourceSchema schema;
    schema.add("units");
    core::TopologyBuilder builder(schema);
    core::Amounts capacity(1);
    capacity(0) = 1;
    builder.add_machine_type({"host", capacity, {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        builder.add_node(0, fmt::format("rack-{}", rack));
    }
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < racks * servers; ++server) {
        builder.add_server(server / servers, fmt::format("server-{}", server), 0);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

sim::FailureEvent fails(sim::SimTime at, std::uint64_t number, std::uint32_t node) {
    return {at, number, sim::Outage{at, core::NodeId{node}, "x", "level", 0, {}, 0}, true};
}

sim::FailureEvent fails_unnoticed(sim::SimTime at, std::uint64_t number, std::uint32_t node) {
    sim::FailureEvent event = fails(at, number, node);
    event.detected = false;
    return event;
}

sim::FailureEvent is_detected(sim::SimTime at, std::uint64_t number) {
    return {at, number, std::nullopt, true};
}

sim::FailureEvent is_back(sim::SimTime at, std::uint64_t number) {
    return {at, number, std::nullopt, false};
}

std::optional<sim::FailureEvent> Script::next() {
    if (events_.empty()) {
        return std::nullopt;
    }
    auto event = std::move(events_.front());
    events_.pop_front();
    return event;
}

std::optional<sim::FailureEvent> Endless::next() {
    const std::uint64_t half = count_++;
    const sim::SimTime at = 10s + 5s * half;
    return half % 2 == 0 ? fails(at, half / 2, node_) : is_back(at, half / 2);
}

sim::Job gang(std::string name, core::Members size, sim::SimTime submit, sim::SimTime duration) {
    sim::Job job;
    job.name = std::move(name);
    job.demand = {1};
    job.submit = submit;
    job.duration = duration;
    job.group = true;
    job.size = size;
    job.min_available = size;
    return job;
}

OutageRun::OutageRun(std::shared_ptr<const core::Topology> tree,
                     std::vector<sim::Job> to_come,
                     sim::FailureSource& failures,
                     sim::Settings settings) {
    const auto first_fit =
        std::ranges::find(core::scorers(), std::string_view("first-fit"), &core::ScorerEntry::name);
    settings.profile.score = {{first_fit->make(), 1}};
    settings.failure_causes = {"power", "board"};
    core::Ledger ledger(std::move(tree));
    ListSource source(std::move(to_come));
    sim::RunControl control;
    control.check_invariants = true;
    result = sim::Simulation(ledger, source, settings, *this, control, nullptr, &failures).run();
}

std::optional<double> OutageRun::metric(const std::string& name) const {
    const auto found = std::ranges::find(result.metrics, name, &sim::Metric::name);
    REQUIRE(found != result.metrics.end());
    return found->value;
}

}  // namespace berth::tests
