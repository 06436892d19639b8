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

/// Reads the fields of providers, and everything else in a document of providers. Each provider is
/// checked by itself here; core::check_providers() checks the amounts later.
class ProviderFields {
public:
    /// `list` receives what is known besides the providers.
    ProviderFields(ProviderList& list, core::Diagnostics& diagnostics)
        : list_(list), diagnostics_(diagnostics) {}

    struct Read {
        core::ResourceProvider provider;
        const core::Value* parent = nullptr;  ///< The parent, if it is named and has no uuid yet.
    };
    /// Errors: recorded.
    [[nodiscard]] Read read(const core::Value& provider);
    /// Reads a document, and calls `read_list` with the list of its providers, or with whatever is
    /// in its place. Errors: recorded.
    void read_document(const core::Value& document,
                       const std::function<void(const core::Value&)>& read_list);

    /// Warns about names that are neither standard nor extra nor custom ones. Call this when
    /// everything was read.
    void warn_of_names();
    /// The last line that warn_of_names() warns about; 0: none.
    [[nodiscard]] int last_line_warned_of() const;

private:
    /// Names of resource classes or traits, each with the place where it was first met.
    using Met = std::map<std::string, core::SourceSpan>;

    void read_uuid(core::MapReader& map, core::ResourceProvider& provider);
    void read_inventories(const core::Value& inventories, core::ResourceProvider& provider);
    /// Reads an inventory, which is a total alone or a map.
    core::ProviderInventory read_inventory(const core::Value& value);
    core::Amount amount(const core::Value& value, core::Amount min);
    /// Returns the texts of a list.
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

/// The providers of a file in the form in which they are queried.
struct ProvidersToAsk {
    core::ProviderForest forest;
    /// What the text of a query may name; for providers only their names and uuids.
    ProviderList names;
};

/// Reads the providers of a JSON file one by one into a forest, in a fraction of the memory that
/// parse_documents() and read_providers() would need. Names of providers are kept if `keep_names`
/// is set.
///
/// Returns: nothing if the file is no such document, or if something is wrong with it: the readers
///          of the whole file then report what.
[[nodiscard]] std::optional<ProvidersToAsk> read_providers_in_parts(
    const std::filesystem::path& file, bool keep_names, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
