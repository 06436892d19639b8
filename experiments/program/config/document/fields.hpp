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

/// Checks `apiVersion` and takes `kind` and `metadata`. Returns metadata.name, or `otherwise` if
/// there is none.
[[nodiscard]] std::string read_header(core::MapReader& document,
                                      const std::string& api_version,
                                      std::string_view otherwise);

/// Records an error at `span` if the amounts of the whole cluster, together with those of a job,
/// would overflow.
void check_sums(const core::Topology& topology,
                const core::SourceSpan& span,
                core::Diagnostics& diagnostics);

/// The duration under `key`.
[[nodiscard]] std::optional<sim::SimTime> read_duration(core::MapReader& map,
                                                        const std::string& key);
/// `or_else`: the beginning of what a message expects if something else is allowed too, such as
/// `auto, or `.
[[nodiscard]] std::optional<sim::SimTime> read_duration(const core::Value& value,
                                                        core::Diagnostics& diagnostics,
                                                        std::string_view or_else = "");

/// Reads a map from resource to quantity as amounts by the schema. A resource that the schema lacks
/// is an error.
[[nodiscard]] std::vector<core::Amount> read_amounts(const core::Value& value,
                                                     const core::ResourceSchema& schema,
                                                     core::Diagnostics& diagnostics);
/// Reads one quantity of one resource.
[[nodiscard]] core::Amount read_amount(const core::SourceSpan& span,
                                       std::string_view text,
                                       std::size_t resource,
                                       const core::ResourceSchema& schema,
                                       core::Diagnostics& diagnostics);

/// Reads a distribution of times: `{distribution: NAME, ...}`, `5m` for a constant time, or
/// `{mean: 5m}` for an exponential one.
/// Errors: recorded at their places; the result can be drawn from nevertheless.
[[nodiscard]] workloads::Distribution read_distribution(const core::Value& value,
                                                        core::Diagnostics& diagnostics);

}  // namespace berth::experiments
