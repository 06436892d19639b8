#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/provider_forest.hpp"
#include "core/support/value.hpp"
#include "core/tree/resource_provider.hpp"

namespace berth::experiments {

/// Providers, and the other names that exist beside them.
struct ProviderList {
    std::vector<core::ResourceProvider> providers;
    std::vector<std::string> extra_traits;  ///< Known although no provider has them.
    std::vector<std::string> extra_classes;
    /// Uuids of the aggregates that are written by name.
    std::map<std::string, std::string, std::less<>> aggregates;
};

/// Whether a document's kind says that it is a list of providers.
[[nodiscard]] bool holds_providers(const core::Value& document);

/// The providers in all documents of a file, which form one forest: docs/reference/candidates.md.
///
/// Returns: what core::ProviderForestBuilder accepts, if nothing was recorded.
/// Errors:  recorded, each at its place. A name that is neither a standard one nor begins with
///          CUSTOM_ gets a warning.
[[nodiscard]] ProviderList read_providers(std::span<const core::Value> documents,
                                          core::Diagnostics& diagnostics);

/// The forest of a list without errors.
[[nodiscard]] core::ProviderForest provider_forest(const ProviderList& list);

/// The uuid of a thing that has only a name: version 5 of the URL `berth:KIND/NAME`, where the kind
/// is `provider` or `aggregate`.
[[nodiscard]] std::string uuid_of_name(std::string_view kind, std::string_view name);

}  // namespace berth::experiments
