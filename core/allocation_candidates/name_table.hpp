#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core {

/// Names numbered in the order of their text.
class NameTable {
public:
    NameTable() = default;
    /// Sorts the names, and drops duplicates.
    explicit NameTable(std::vector<std::string> names);
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
    [[nodiscard]] const std::string& name(std::uint32_t index) const { return names_[index]; }
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

private:
    std::vector<std::string> names_;
};

/// Sets of names of one table. Each set is stored once, however many objects have it.
///
/// Shape: set 0 is the empty set. The members of a set are in ascending order.
class NameSets {
public:
    NameSets() = default;
    /// `sets` are sorted without duplicates; the first is empty.
    explicit NameSets(const std::vector<std::vector<std::uint32_t>>& sets);
    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(begin_.size() - 1);
    }
    [[nodiscard]] std::span<const std::uint32_t> members(std::uint32_t set) const {
        return {members_.data() + begin_[set], members_.data() + begin_[set + 1]};
    }
    /// Cost: O(log members).
    [[nodiscard]] bool contains(std::uint32_t set, std::uint32_t name) const;

private:
    std::vector<std::uint32_t> begin_{0};
    std::vector<std::uint32_t> members_;
};

}  // namespace berth::core
