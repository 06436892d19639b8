#include "sim/run/invariants.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

namespace berth::sim {
namespace {

/// Names of events, by EventKind.
constexpr std::array kinds{"finish",
                           "node change",
                           "quota change",
                           "resize",
                           "submit",
                           "first timer",
                           "second timer",
                           "third timer",
                           "sample"};

std::vector<ClusterInvariants::Held> held_by_all(const JobLife& jobs) {
    std::vector<ClusterInvariants::Held> all;
    jobs.each_job([&](JobId id) {
        for (const Stint& stint : jobs.job(id).record.stints) {
            if (jobs.job(id).runs() && !stint.finish) {
                all.push_back({&jobs.job(id).job(), stint.server, stint.members, stint.grants});
            }
        }
    });
    return all;
}

}  // namespace

Invariants::Invariants(const Cluster& cluster,
                       const JobLife& jobs,
                       const Outages& outages,
                       const Drains& drains,
                       const Spares* spares,
                       const Measures& measures,
                       RunControl& control)
    : jobs_(jobs),
      outages_(outages),
      drains_(drains),
      spares_(spares),
      measures_(measures),
      control_(control),
      held_(cluster) {}

void Invariants::check(const Event& event, std::uint64_t number, Scheduler& scheduler) {
    last_ = event;
    number_ = number;
    if (const auto violation = jobs_.find_violation()) {
        fail(*violation);
    }
    if (const auto violation = held_.find_violation(held_by_all(jobs_))) {
        fail(*violation);
    }
    if (const auto violation = outages_.find_violation()) {
        fail(*violation);
    }
    if (const auto violation = drains_.find_violation()) {
        fail(*violation);
    }
    if (const auto violation = spares_ != nullptr ? spares_->find_violation() : std::nullopt) {
        fail(*violation);
    }
    if (const auto violation = scheduler.find_violation()) {
        fail(*violation);
    }
    control_.events_checked.fetch_add(1, std::memory_order_relaxed);
}

void Invariants::check_measures() const {
    if (const auto violation = measures_.find_violation()) {
        fail(*violation);
    }
}

void Invariants::fail(const core::Violation& violation) const {
    throw InvariantError(fmt::format("after event {}, {} at {:.9g} s: {}: {}: {}: expected {}",
                                     number_,
                                     kinds.at(static_cast<std::size_t>(last_.kind)),
                                     seconds(last_.at),
                                     violation.invariant,
                                     violation.where,
                                     violation.found,
                                     violation.expected));
}

}  // namespace berth::sim
