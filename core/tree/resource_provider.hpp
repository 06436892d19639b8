#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// The inventory of a provider for one resource class.
///
/// Shape:  0 <= reserved <= total; min_unit, max_unit and step_size at least 1; the ratio above 0.
/// Source: OpenStack Placement, "Inventory".
struct ProviderInventory {
    Amount total = 0;
    Amount reserved = 0;
    Amount min_unit = 1;  ///< The least that one request may take.
    Amount max_unit = std::numeric_limits<std::int32_t>::max();
    Amount step_size = 1;           ///< Each request takes a multiple of this.
    double allocation_ratio = 1.0;  ///< Above 1, more is given out than there is.

    /// All that can be given out: (total - reserved) * allocation_ratio, as one multiplication of
    /// doubles, without its fraction.
    [[nodiscard]] Amount capacity() const;

    friend bool operator==(const ProviderInventory&, const ProviderInventory&) = default;
};

/// A provider of resources as it is written: one node of a forest.
struct ResourceProvider {
    std::string uuid;
    std::string name;
    std::optional<std::string> parent_uuid;
    /// The inventory of each resource class, by its name.
    std::map<std::string, ProviderInventory> inventories;
    /// The usage of each resource class. It may exceed the capacity; then nothing fits.
    std::map<std::string, Amount> usages;
    std::vector<std::string> traits;
    std::vector<std::string> aggregates;

    friend bool operator==(const ResourceProvider&, const ResourceProvider&) = default;
};

/// A provider with this trait serves every tree that has a member in one of its aggregates.
inline constexpr std::string_view sharing_trait = "MISC_SHARES_VIA_AGGREGATE";

}  // namespace berth::core
