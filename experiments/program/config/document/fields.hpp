#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/resources.hpp"
#include "core/tree/topology.hpp"
#include "sim/clock/time.hpp"
#include "workloads/distribution.hpp"

namespace berth::experiments {

/// Checks `apiVersion` and takes `kind` and `metadata`. Returns metadata.name, or `otherwise`.
[[nodiscard]] std::string read_header(core::MapReader& document,
                                      const std::string& api_version,
                                      std::string_view otherwise);

/// Records, at `span`, that the amounts of a whole cluster have no room beside what a job asks for.
void check_sums(const core::Topology& topology,
                const core::SourceSpan& span,
                core::Diagnostics& diagnostics);

/// The duration under `key`.
[[nodiscard]] std::optional<sim::SimTime> read_duration(core::MapReader& map,
                                                        const std::string& key);
/// `or_else` begins what a message expects, where something else may stand there: `auto, or `.
[[nodiscard]] std::optional<sim::SimTime> read_duration(const core::Value& value,
                                                        core::Diagnostics& diagnostics,
                                                        std::string_view or_else = "");

/// A map from resource to quantity, as amounts by the schema. A resource that the schema lacks is
/// an error.
[[nodiscard]] std::vector<core::Amount> read_amounts(const core::Value& value,
                                                     const core::ResourceSchema& schema,
                                                     core::Diagnostics& diagnostics);
/// One quantity of one resource.
[[nodiscard]] core::Amount read_amount(const core::SourceSpan& span,
                                       std::string_view text,
                                       std::size_t resource,
                                       const core::ResourceSchema& schema,
                                       core::Diagnostics& diagnostics);

/// `{distribution: NAME, ...}`: a distribution of times.
/// Errors: recorded at their places; it can be drawn from nevertheless.
[[nodiscard]] workloads::Distribution read_distribution(const core::Value& value,
                                                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
