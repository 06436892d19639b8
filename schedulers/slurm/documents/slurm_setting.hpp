#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/slurm/decide/objects.hpp"

namespace berth::experiments {

/// One key of a file of Slurm with its value, and the place for messages, such as `slurm.conf:3`.
struct SlurmSetting {
    static constexpr std::int64_t whole_max = 4'294'967'295;

    std::string place;
    std::string key;
    std::string value;

    /// Whether this is the key, however it is spelled: case does not matter.
    [[nodiscard]] bool is(std::string_view name) const;
    /// Errors: SlurmFault with the place, the value and what was expected.
    [[noreturn]] void fail(std::string_view expected) const;
    /// A whole number within these bounds, of which the upper one is that of Slurm's 32 bits.
    [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most = whole_max) const;
    /// YES or NO.
    [[nodiscard]] bool flag() const;
    /// REQUEUE, CANCEL or OFF.
    [[nodiscard]] core::slurm::PreemptMode preempt_mode() const;
    /// Minutes of a time of Slurm (M, M:S, H:M:S, D-H, D-H:M, D-H:M:S), rounded up; nothing for
    /// UNLIMITED.
    [[nodiscard]] std::optional<std::int64_t> minutes() const;
    /// The parts of a list, which commas part.
    [[nodiscard]] std::vector<std::string> items() const;
    /// The names of a host list.
    [[nodiscard]] std::vector<std::string> names() const;
};

/// What is wrong in a file of Slurm: what() is one line.
struct SlurmFault : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// What `read` makes of a value of a request as of a setting. The value's place is searched for
/// only if it is told, since that costs as much as the request is long.
template <class Field, class Read>
auto read_as_setting(const Field& field, const char* key, const std::string& text, Read read) {
    try {
        return read(SlurmSetting{"", key, text});
    } catch (const SlurmFault&) {
        return read(SlurmSetting{field.place(), key, text});
    }
}
/// A whole number.
template <class Field>
std::int64_t read_count(const Field& field,
                        const char* key,
                        const std::string& text,
                        std::int64_t least = 1) {
    return read_as_setting(
        field, key, text, [least](const SlurmSetting& setting) { return setting.whole(least); });
}

[[nodiscard]] bool same_word(std::string_view a, std::string_view b);

}  // namespace berth::experiments
