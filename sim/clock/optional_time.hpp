#pragma once

#include <chrono>
#include <compare>
#include <optional>

#include "core/support/assert.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// std::optional<SimTime> in the space of a SimTime, for records of which a run holds many. The
/// least SimTime stands for nothing: no time and no duration is that far back.
class OptionalTime {
public:
    OptionalTime() = default;
    OptionalTime(std::nullopt_t /*nothing*/) {}
    template <class Rep, class Period>
    OptionalTime(std::chrono::duration<Rep, Period> time) : time_(time) {
        BERTH_ASSERT(has_value(), "a time is not the one that stands for none");
    }
    OptionalTime(const std::optional<SimTime>& time) : time_(time.value_or(nothing)) {}
    operator std::optional<SimTime>() const {
        return has_value() ? std::optional(time_) : std::nullopt;
    }

    [[nodiscard]] bool has_value() const { return time_ != nothing; }
    explicit operator bool() const { return has_value(); }
    [[nodiscard]] SimTime& operator*() {
        BERTH_ASSERT(has_value(), "a time that is asked for is there");
        return time_;
    }
    [[nodiscard]] const SimTime& operator*() const {
        BERTH_ASSERT(has_value(), "a time that is asked for is there");
        return time_;
    }
    [[nodiscard]] const SimTime* operator->() const { return &**this; }
    [[nodiscard]] SimTime value() const { return **this; }
    [[nodiscard]] SimTime value_or(SimTime other) const { return has_value() ? time_ : other; }
    void reset() { time_ = nothing; }

    friend bool operator==(const OptionalTime&, const OptionalTime&) = default;
    /// Nothing comes before any time.
    friend auto operator<=>(const OptionalTime& a, const OptionalTime& b) {
        return a.time_ <=> b.time_;
    }
    friend bool operator==(const OptionalTime& a, std::nullopt_t /*nothing*/) {
        return !a.has_value();
    }
    template <class Rep, class Period>
    friend bool operator==(const OptionalTime& a, std::chrono::duration<Rep, Period> b) {
        return a.time_ == b;
    }
    /// Without this, std::optional would find that nothing differs from nothing.
    friend bool operator==(const OptionalTime& a, const std::optional<SimTime>& b) {
        return a == OptionalTime(b);
    }
    /// Deleted, because std::optional would find that nothing comes before nothing.
    friend auto operator<=>(const OptionalTime&, const std::optional<SimTime>&) = delete;
    template <class Rep, class Period>
    friend auto operator<=>(const OptionalTime&, std::chrono::duration<Rep, Period>) = delete;

private:
    static constexpr SimTime nothing = SimTime::min();
    SimTime time_ = nothing;
};

}  // namespace berth::sim
