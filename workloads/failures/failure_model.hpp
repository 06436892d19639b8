#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/failures/failure_source.hpp"
#include "workloads/distribution.hpp"

namespace berth::workloads {

/// One reason why components of a kind fail, each component by itself: it works for a time, is
/// repaired for a time, works again, and so on.
struct FailureCause {
    std::string name;
    core::Level level;           ///< Level of the nodes that fail; for devices, the level of the
                                 ///< servers.
    std::string device{};        ///< Kind of device that fails and takes its server down with it;
                                 ///< empty: the node itself fails.
    std::string machine_type{};  ///< Only servers of this type fail; empty: servers of any type.
    Distribution between;        ///< Seconds that a component works between a repair and the next
                                 ///< failure.
    Distribution repair;         ///< Seconds that a repair takes.
};

/// Makes some servers fail more often than others.
struct Lemons {
    double share = 0;   ///< Share of the servers that are lemons.
    double factor = 1;  ///< How many times as often a lemon fails.
};

/// A server that fails `failures` times `within` a time is kept out of use for the time `out`.
struct Quarantine {
    std::uint32_t failures = 1;
    sim::SimTime within{};
    sim::SimTime out{};
};

/// An outage that was recorded.
struct RecordedOutage {
    sim::SimTime at{};
    std::optional<sim::SimTime> back;  ///< Nothing: it never comes back.
    core::NodeId node;
    std::uint32_t cause = 0;  ///< Index of the cause in cause_names().
};

/// Everything that fails by itself in a run.
struct FailureModel {
    std::vector<FailureCause> causes;
    std::optional<Lemons> lemons;
    std::uint32_t crews = 0;  ///< How many repairs can go on at a time, the oldest first; 0: any
                              ///< number.
    std::optional<Quarantine> quarantine;
    std::vector<RecordedOutage> recorded;      ///< Sorted by time.
    std::vector<std::string> recorded_causes;  ///< Names of the recorded causes; their numbers
                                               ///< follow those of `causes`.
    sim::SimTime detection{};  ///< Time until a failure is noticed; repairs begin only then.

    [[nodiscard]] std::vector<std::string> cause_names() const;
};

/// Draws what fails. A component's random numbers depend on the seed, the cause and the component's
/// name alone. Neither other components nor the jobs that run change them, so two policies meet the
/// same failures. A component that is already down for another reason fails nevertheless.
///
/// Shape:  there is no event after `until`; without an end, events go on for ever.
/// Cost:   O(log components) for an event; 24 bytes for each component and cause, and 24 more while
///         its next failure is due before the end.
/// Returns nullptr for a model in which nothing fails.
[[nodiscard]] std::unique_ptr<sim::FailureSource> make_failures(
    const FailureModel& model,
    std::shared_ptr<const core::Topology> tree,
    std::uint64_t seed,
    sim::SimTime until);

}  // namespace berth::workloads
