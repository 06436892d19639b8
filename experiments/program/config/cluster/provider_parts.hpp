#pragma once

#include <filesystem>
#include <optional>

#include "core/allocation_candidates/provider_forest.hpp"
#include "core/support/source.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"

namespace berth::experiments {

/// The providers of a file as what is asked.
struct ProvidersToAsk {
    core::ProviderForest forest;
    /// What a query's text may name: of providers, no more than their names and uuids.
    ProviderList names;
};

/// Reads the providers of a JSON file one by one into a forest, in a fraction of the memory that
/// they would take as parse_documents() and read_providers() make them. Names of providers are
/// kept if `keep_names`.
///
/// Returns: nothing where the file is no such document, or something is wrong with it: the readers
///          of the whole then say what.
[[nodiscard]] std::optional<ProvidersToAsk> read_providers_in_parts(
    const std::filesystem::path& file, bool keep_names, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
