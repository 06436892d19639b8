#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core {

/// A std::optional<T> in the room of a pointer, for values that only few of many objects have. A
/// value is stored in memory of its own.
template <class T>
class Rare {
public:
    Rare() = default;
    Rare(std::nullopt_t /*nothing*/) {}
    Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Rare(std::optional<T> value) {
        if (value) {
            *this = *std::move(value);
        }
    }
    Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
    Rare(Rare&& other) noexcept = default;
    Rare& operator=(const Rare& other) {
        *this = Rare(other);
        return *this;
    }
    Rare& operator=(Rare&& other) noexcept = default;
    ~Rare() = default;

    operator std::optional<T>() const { return value_ ? std::optional<T>(*value_) : std::nullopt; }

    [[nodiscard]] bool has_value() const { return value_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    [[nodiscard]] T& operator*() {
        BERTH_ASSERT(has_value(), "a value that is asked for is there");
        return *value_;
    }
    [[nodiscard]] const T& operator*() const {
        BERTH_ASSERT(has_value(), "a value that is asked for is there");
        return *value_;
    }
    [[nodiscard]] T* operator->() { return &**this; }
    [[nodiscard]] const T* operator->() const { return &**this; }
    template <class... Arguments>
    T& emplace(Arguments&&... arguments) {
        value_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
        return *value_;
    }
    void reset() { value_.reset(); }
    [[nodiscard]] friend bool operator==(const Rare& a, const Rare& b) {
        return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
    }

private:
    std::unique_ptr<T> value_;
};

}  // namespace berth::core
