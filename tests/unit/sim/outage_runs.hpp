#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"

namespace berth::tests {

/// Racks of servers of one unit each. Node 1 is the first rack.
[[nodiscard]] std::shared_ptr<const core::Topology> racks_of(std::uint32_t racks,
                                                             std::uint32_t servers);

// The events of an outage, which begins with the failure of a node, known or not.
[[nodiscard]] sim::FailureEvent fails(sim::SimTime at, std::uint64_t number, std::uint32_t node);
[[nodiscard]] sim::FailureEvent fails_unnoticed(sim::SimTime at,
                                                std::uint64_t number,
                                                std::uint32_t node);
[[nodiscard]] sim::FailureEvent is_detected(sim::SimTime at, std::uint64_t number);
[[nodiscard]] sim::FailureEvent is_back(sim::SimTime at, std::uint64_t number);

class Script final : public sim::FailureSource {
public:
    explicit Script(std::deque<sim::FailureEvent> events) : events_(std::move(events)) {}
    std::optional<sim::FailureEvent> next() override;

private:
    std::deque<sim::FailureEvent> events_;
};

/// The same component fails every 10 s, for 5 s each time, without an end.
class Endless final : public sim::FailureSource {
public:
    explicit Endless(std::uint32_t node) : node_(node) {}
    std::optional<sim::FailureEvent> next() override;

private:
    std::uint32_t node_;
    std::uint64_t count_ = 0;
};

/// A group whose members ask for a unit each, and start together.
[[nodiscard]] sim::Job gang(std::string name,
                            core::Members size,
                            sim::SimTime submit,
                            sim::SimTime duration);

/// A run under first-fit, with all invariants checked.
class OutageRun final : public sim::RecordSink {
public:
    OutageRun(std::shared_ptr<const core::Topology> tree,
              std::vector<sim::Job> to_come,
              sim::FailureSource& failures,
              sim::Settings settings = {});
    void job(const sim::JobRecord& record) override {
        tests::at_arrival(jobs, record.arrival) = record;
    }
    void sample(sim::SimTime at, std::span<const double> /*values*/) override {
        samples.push_back(at);
    }
    void outage(const sim::Outage& outage) override { outages.push_back(outage); }

    /// The run must have a metric of that name.
    [[nodiscard]] std::optional<double> metric(const std::string& name) const;

    std::vector<sim::JobRecord> jobs;
    std::vector<sim::Outage> outages;
    std::vector<sim::SimTime> samples;
    sim::RunResult result;
};

}  // namespace berth::tests
