#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/allocation_candidates/provider_forest.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/resource_provider.hpp"
#include "experiments/program/config/cluster/read_providers.hpp"

namespace berth::experiments {

/// Reads the fields of providers, and what a document has beside these; what a provider says by
/// itself is checked, and its amounts by core::check_providers() later.
class ProviderFields {
public:
    /// `list` gets what is known besides the providers.
    ProviderFields(ProviderList& list, core::Diagnostics& diagnostics)
        : list_(list), diagnostics_(diagnostics) {}

    struct Read {
        core::ResourceProvider provider;
        const core::Value* parent = nullptr;  ///< A parent that is named; it has no uuid yet.
    };
    /// Errors: recorded.
    [[nodiscard]] Read read(const core::Value& provider);
    /// Reads a document, and calls `read_list` with the list of its providers, or with what stands
    /// there instead. Errors: recorded.
    void read_document(const core::Value& document,
                       const std::function<void(const core::Value&)>& read_list);

    /// Once everything was read: warns of names that are neither standard nor anybody's own.
    void warn_of_names();
    /// The line of the last place that warn_of_names() warns of; 0: of none.
    [[nodiscard]] int last_line_warned_of() const;

private:
    /// Names of resource classes or traits, each where it was first met.
    using Met = std::map<std::string, core::SourceSpan>;

    void read_uuid(core::MapReader& map, core::ResourceProvider& provider);
    void read_inventories(const core::Value& inventories, core::ResourceProvider& provider);
    /// A total alone, or a map.
    core::ProviderInventory read_inventory(const core::Value& value);
    core::Amount amount(const core::Value& value, core::Amount min);
    /// The texts of a list.
    std::vector<const core::Value*> texts(const core::Value* list, std::string_view what);
    void read_names(const core::Value* list,
                    std::string_view what,
                    std::vector<std::string>& names);
    std::string aggregate_uuid(const std::string& text);
    void warn(const Met& met,
              std::string_view what,
              std::span<const std::string_view> standard,
              const std::vector<std::string>& extra);

    ProviderList& list_;
    core::Diagnostics& diagnostics_;
    std::unordered_set<std::string> derived_;  ///< Names that are the only identity of a provider.
    Met traits_met_;
    Met classes_met_;
};

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
