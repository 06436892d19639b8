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

/// One reason why components of a kind fail, each on its own: it works for a time, is being
/// repaired for a time, works again, ...
struct FailureCause {
    std::string name;
    core::Level level;           ///< Of the nodes that fail; of devices, the servers' level.
    std::string device{};        ///< A kind of device, each of which takes its server with it.
    std::string machine_type{};  ///< Only servers of this type; empty: of any.
    Distribution between;        ///< Seconds that a component works between repair and failure.
    Distribution repair;         ///< Seconds of work on it.
};

/// Some servers fail more often than others.
struct Lemons {
    double share = 0;   ///< Of the servers.
    double factor = 1;  ///< They fail so many times as often.
};

/// A server that failed so often within a time is left out of use until so much later.
struct Quarantine {
    std::uint32_t failures = 1;
    sim::SimTime within{};
    sim::SimTime out{};
};

/// An outage that somebody recorded.
struct RecordedOutage {
    sim::SimTime at{};
    std::optional<sim::SimTime> back;  ///< Nothing: it never comes back.
    core::NodeId node;
    std::uint32_t cause = 0;  ///< Among the model's names.
};

/// All that fails by itself in a run.
struct FailureModel {
    std::vector<FailureCause> causes;
    std::optional<Lemons> lemons;
    std::uint32_t crews = 0;  ///< So many repairs at a time, the oldest first; 0: any number.
    std::optional<Quarantine> quarantine;
    std::vector<RecordedOutage> recorded;      ///< By time.
    std::vector<std::string> recorded_causes;  ///< Their names; numbered behind `causes`.
    sim::SimTime detection{};  ///< So long nobody knows that something failed; then repairs begin.

    [[nodiscard]] std::vector<std::string> cause_names() const;
};

/// Draws what fails. A component's numbers depend on the seed, the cause and the component's name
/// alone: neither other components nor what runs on them change them, so that two policies meet
/// the same failures. A component that is out because of something else fails nevertheless.
///
/// Shape:  no event after `until`; without an end, events go on for ever.
/// Cost:   O(log components) an event; 24 bytes a component and cause, and 24 while it is to fail
///         before the end.
/// Returns nullptr for a model in which nothing fails.
[[nodiscard]] std::unique_ptr<sim::FailureSource> make_failures(
    const FailureModel& model,
    std::shared_ptr<const core::Topology> tree,
    std::uint64_t seed,
    sim::SimTime until);

}  // namespace berth::workloads
