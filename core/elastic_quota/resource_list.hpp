#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// Amounts of some of the resources of a schema, like Kubernetes' ResourceList. An absent resource
/// counts as 0 in sums, and is unlimited in a limit.
class ResourceList {
public:
    static constexpr std::size_t resources_max = 64;

    ResourceList() = default;
    explicit ResourceList(std::size_t resource_count) : amounts_(resource_count, 0) {
        BERTH_ASSERT(resource_count <= resources_max, "at most 64 resources");
    }

    [[nodiscard]] std::size_t resource_count() const { return amounts_.size(); }
    [[nodiscard]] bool has(std::size_t resource) const { return (keys_ >> resource & 1) != 0; }
    [[nodiscard]] bool empty() const { return keys_ == 0; }
    /// The resources that are present, one bit each.
    [[nodiscard]] std::uint64_t keys() const { return keys_; }
    /// The amount of a resource; 0 if it is absent.
    [[nodiscard]] Amount operator[](std::size_t resource) const {
        BERTH_AUDIT(resource < amounts_.size(), "a resource is one of the schema");
        return amounts_[resource];
    }
    /// The amounts of all resources of the schema; 0 for absent ones.
    [[nodiscard]] std::span<const Amount> amounts() const { return amounts_; }
    void set(std::size_t resource, Amount amount) {
        BERTH_ASSERT(resource < amounts_.size(), "a resource is one of the schema");
        amounts_[resource] = amount;
        keys_ |= std::uint64_t{1} << resource;
    }
    [[nodiscard]] bool all_zero() const {
        for (const Amount amount : amounts_) {
            if (amount != 0) {
                return false;
            }
        }
        return true;
    }

    friend bool operator==(const ResourceList&, const ResourceList&) = default;

private:
    std::vector<Amount> amounts_;  ///< The amount of each resource; 0 if it is absent.
    std::uint64_t keys_ = 0;
};

/// Calls `function` for each resource whose bit is set: `for_each_resource(keys, [&](std::size_t
/// resource) {...})`.
template <class Function>
void for_each_resource(std::uint64_t keys, Function function) {
    for (; keys != 0; keys &= keys - 1) {
        function(static_cast<std::size_t>(__builtin_ctzll(keys)));
    }
}

}  // namespace berth::core
