#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/resources.hpp"
#include "core/support/value.hpp"
#include "core/topology.hpp"
#include "sim/time.hpp"

namespace berth::experiments {

/// Checks `apiVersion` and takes `kind` and `metadata`. Returns metadata.name, or `otherwise`.
[[nodiscard]] std::string read_header(core::MapReader& document,
                                      const std::string& api_version,
                                      std::string_view otherwise);

/// Records, at `span`, that the amounts of a whole cluster have no room.
void check_sums(const std::shared_ptr<const core::Topology>& topology,
                const core::SourceSpan& span,
                core::Diagnostics& diagnostics);

/// The duration under `key`.
[[nodiscard]] std::optional<sim::SimTime> read_duration(core::MapReader& map,
                                                        const std::string& key);
[[nodiscard]] std::optional<sim::SimTime> read_duration(const core::Value& value,
                                                        core::Diagnostics& diagnostics);

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

/// The demands that types name.
class PodTypes {
public:
    PodTypes() = default;
    /// Reads `types:`: by name, amounts by the schema.
    PodTypes(const core::Value* types,
             const core::ResourceSchema& schema,
             core::Diagnostics& diagnostics);
    /// The demand of a type. A name that is not listed and ends like an instance profile, `-2x32`,
    /// is so many CPUs and GiB of memory; another one is an error.
    [[nodiscard]] std::vector<core::Amount> demand(const core::Value& name,
                                                   core::Diagnostics& diagnostics) const;

    /// Every resource that `types:` mentions, for the schema.
    static void add_resources(const core::Value* types, core::ResourceSchema& schema);

private:
    const core::ResourceSchema* schema_ = nullptr;
    std::map<std::string, std::vector<core::Amount>> demands_;
};

}  // namespace berth::experiments
