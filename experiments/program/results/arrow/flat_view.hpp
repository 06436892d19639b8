#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace berth::report {

/// A table of FlatBuffers in a buffer that somebody else wrote: nothing in it is believed.
///
/// Source: FlatBuffers, "FlatBuffers Binary Format".
/// Errors: std::runtime_error from each function, where an offset leads out of the buffer.
class FlatView {
public:
    /// The root of a buffer, which must outlive it.
    explicit FlatView(std::string_view buffer);

    /// The field of this number in the schema; `otherwise` where it is not set.
    template <class Number>
    [[nodiscard]] Number number(std::size_t field, Number otherwise) const {
        const std::optional<std::size_t> at = place(field);
        return at ? read<Number>(*at) : otherwise;
    }
    /// Empty where it is not set.
    [[nodiscard]] std::string_view text(std::size_t field) const;
    [[nodiscard]] std::optional<FlatView> table(std::size_t field) const;
    /// Empty where it is not set.
    [[nodiscard]] std::vector<FlatView> tables(std::size_t field) const;
    /// The bytes of a vector of structs of a size; empty where it is not set.
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
    /// Where the offset at a place leads.
    [[nodiscard]] std::size_t target(std::size_t at) const { return at + read<std::uint32_t>(at); }

    std::string_view buffer_;
    std::size_t at_ = 0;
    std::size_t vtable_ = 0;
};

}  // namespace berth::report
