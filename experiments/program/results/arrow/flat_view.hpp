#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace berth::report {

/// A FlatBuffers table in a buffer from an unknown writer: nothing in it is trusted.
///
/// Source: FlatBuffers, "FlatBuffers Binary Format".
/// Errors: every function throws std::runtime_error where an offset leads out of the buffer.
class FlatView {
public:
    /// The root table of a buffer, which must outlive the view.
    explicit FlatView(std::string_view buffer);

    /// The field with this number in the schema; `otherwise` where it is not set.
    template <class Number>
    [[nodiscard]] Number number(std::size_t field, Number otherwise) const {
        const std::optional<std::size_t> at = place(field);
        return at ? read<Number>(*at) : otherwise;
    }
    /// The text of a field; empty where it is not set.
    [[nodiscard]] std::string_view text(std::size_t field) const;
    [[nodiscard]] std::optional<FlatView> table(std::size_t field) const;
    /// The tables of a field; empty where it is not set.
    [[nodiscard]] std::vector<FlatView> tables(std::size_t field) const;
    /// The bytes of a vector of structs of this size; empty where it is not set.
    [[nodiscard]] std::string_view structs(std::size_t field, std::size_t size) const;

private:
    FlatView(std::string_view buffer, std::size_t at);
    template <class Number>
    [[nodiscard]] Number read(std::size_t at) const {
        if constexpr (std::is_same_v<Number, bool>) {
            return read<std::uint8_t>(at) != 0;
        } else {
            Number value{};
            std::memcpy(&value, bytes(at, sizeof value).data(), sizeof value);
            return value;
        }
    }
    [[nodiscard]] std::string_view bytes(std::size_t at, std::size_t size) const;
    [[nodiscard]] std::optional<std::size_t> place(std::size_t field) const;
    [[nodiscard]] std::size_t vtable_of(std::size_t at) const {
        return static_cast<std::size_t>(static_cast<std::int64_t>(at) - read<std::int32_t>(at));
    }
    /// The place that the offset at a place leads to.
    [[nodiscard]] std::size_t target(std::size_t at) const { return at + read<std::uint32_t>(at); }

    std::string_view buffer_;
    std::size_t at_ = 0;
    std::size_t vtable_ = 0;
};

}  // namespace berth::report
