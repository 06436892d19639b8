#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::sim {

/// The amounts that a pod asks for, in the order of its topology's schema. For most topologies they
/// lie in this object, not in memory of their own: a run with many jobs would have to wait for that
/// memory, too.
class Demand {
public:
    Demand() = default;
    explicit Demand(std::size_t size) { resize(size); }
    Demand(std::initializer_list<core::Amount> amounts) : Demand(std::vector(amounts)) {}
    Demand(const std::vector<core::Amount>& amounts) {
        resize(amounts.size());
        std::ranges::copy(amounts, begin());
    }
    Demand(const Demand& other) : size_(other.size_), few_(other.few_) {
        if (other.many_) {
            many_ = std::make_unique<core::Amount[]>(size_);
            std::ranges::copy(other, begin());
        }
    }
    Demand(Demand&& other) noexcept { swap(other); }
    Demand& operator=(Demand other) noexcept {
        swap(other);
        return *this;
    }
    ~Demand() = default;

    /// New amounts are 0.
    void resize(std::size_t size) {
        if (size > few) {
            auto more = std::make_unique<core::Amount[]>(size);
            std::copy_n(data(), std::min(size, size_), more.get());
            many_ = std::move(more);
        } else {
            std::copy_n(data(), std::min(size, size_), few_.data());
            std::fill(few_.begin() + std::min(size, size_), few_.end(), 0);
            many_.reset();
        }
        size_ = size;
    }
    void push_back(core::Amount amount) {
        resize(size_ + 1);
        back() = amount;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] core::Amount* data() { return many_ ? many_.get() : few_.data(); }
    [[nodiscard]] const core::Amount* data() const { return many_ ? many_.get() : few_.data(); }
    [[nodiscard]] core::Amount* begin() { return data(); }
    [[nodiscard]] core::Amount* end() { return data() + size_; }
    [[nodiscard]] const core::Amount* begin() const { return data(); }
    [[nodiscard]] const core::Amount* end() const { return data() + size_; }
    [[nodiscard]] core::Amount& front() { return *begin(); }
    [[nodiscard]] core::Amount& back() { return *(end() - 1); }
    [[nodiscard]] core::Amount& operator[](std::size_t resource) { return data()[resource]; }
    [[nodiscard]] core::Amount operator[](std::size_t resource) const { return data()[resource]; }
    [[nodiscard]] std::vector<core::Amount> in_a_vector() const { return {begin(), end()}; }

    friend bool operator==(const Demand& a, const Demand& b) { return std::ranges::equal(a, b); }
    friend auto operator<=>(const Demand& a, const Demand& b) {
        return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    static constexpr std::size_t few = 4;

    void swap(Demand& other) noexcept {
        std::swap(size_, other.size_);
        std::swap(few_, other.few_);
        std::swap(many_, other.many_);
    }

    std::size_t size_ = 0;
    std::array<core::Amount, few> few_{};   ///< Zero beyond the size.
    std::unique_ptr<core::Amount[]> many_;  ///< Used if there are more than `few`.
};

}  // namespace berth::sim
