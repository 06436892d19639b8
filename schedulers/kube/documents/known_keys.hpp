#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "core/support/value.hpp"

namespace berth::experiments {

struct KnownKeys;

/// A key that a map may have.
struct KnownKey {
    enum class Below : std::uint8_t { anything, map, list_of_maps, whole_number };

    std::string_view name;
    Below below = Below::anything;
    const KnownKeys* keys = nullptr;  ///< Those of the map, or of each map of the list.
    std::int64_t least = 0;           ///< The range of a whole number.
    std::int64_t most = 0;
    bool is_needed = false;
};

/// The keys that a map may have, and those below them.
struct KnownKeys {
    std::string_view what;            ///< Names the map in messages.
    std::array<KnownKey, 16> keys{};  ///< Those without a name are none.
};

constexpr KnownKey key_of_map(std::string_view name, const KnownKeys& keys) {
    return {.name = name, .below = KnownKey::Below::map, .keys = &keys};
}
constexpr KnownKey key_of_list(std::string_view name, const KnownKeys& keys) {
    return {.name = name, .below = KnownKey::Below::list_of_maps, .keys = &keys};
}
constexpr KnownKey needed(KnownKey key) {
    key.is_needed = true;
    return key;
}

/// The value at the path `keys`; nullptr if it is absent or null.
[[nodiscard]] const core::Value* stated_below(const core::Value& value,
                                              std::initializer_list<std::string_view> keys);

/// Checks a map, or each map of a list, with everything below it. A key that is missing is reported
/// where no other key is in its place. Errors: recorded.
void check_keys(const core::Value& map, const KnownKeys& known, core::Diagnostics& diagnostics);
void check_list(const core::Value& list, const KnownKeys& known, core::Diagnostics& diagnostics);

}  // namespace berth::experiments
