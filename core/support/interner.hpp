#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::core {

/// Distinct values, numbered from 0 in the order in which they first appear. Each value is stored
/// once.
template <class T, class Hash = std::hash<T>>
class Interner {
public:
    Interner() = default;
    /// Gives `first` the number 0.
    explicit Interner(T first) { (void)number(std::move(first)); }
    Interner(Interner&&) = default;
    Interner& operator=(Interner&&) = default;

    std::uint32_t number(T value) {
        const auto [known, fresh] =
            numbers_.try_emplace(std::move(value), static_cast<std::uint32_t>(values_.size()));
        if (fresh) {
            values_.push_back(&known->first);
        }
        return known->second;
    }
    [[nodiscard]] std::optional<std::uint32_t> find(const T& value) const {
        const auto known = numbers_.find(value);
        return known == numbers_.end() ? std::nullopt : std::optional(known->second);
    }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] const T& operator[](std::uint32_t number) const { return *values_[number]; }
    /// Copies of all values, by number.
    [[nodiscard]] std::vector<T> values() const {
        std::vector<T> out;
        out.reserve(values_.size());
        for (const T* value : values_) {
            out.push_back(*value);
        }
        return out;
    }

private:
    std::unordered_map<T, std::uint32_t, Hash> numbers_;
    std::vector<const T*> values_;  ///< Pointers to the keys of the map, which never move.
};

}  // namespace berth::core
