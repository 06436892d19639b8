#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "core/support/json_text.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// A key of a map that is wanted, and the keys that are wanted below it; none: all.
struct WantedKeys {
    std::string_view key;
    std::vector<WantedKeys> below;
    /// If given, this stands for all keys that it does not know, in place of `key`.
    bool (*knows)(std::string_view key) = nullptr;

    [[nodiscard]] bool is_for(std::string_view name) const {
        return knows != nullptr ? !knows(name) : name == key;
    }
};

/// Makes Values from a JSON text that a JsonText has parsed.
class JsonValues {
public:
    /// `text` is all of `source`, or a part of it that begins at this line and column.
    JsonValues(std::shared_ptr<const core::SourceText> source,
               const core::JsonText& json,
               std::string_view text,
               int line = 1,
               int column = 1);

    /// The value of the whole text. Call once. Members of maps that are not wanted are left out,
    /// but still checked.
    ///
    /// Errors: InputError if a key occurs twice, or if a text could not be written back.
    [[nodiscard]] core::Value value(const std::vector<WantedKeys>& wanted);

private:
    using Index = core::JsonText::Index;
    using Wanted = std::vector<WantedKeys>;

    void fill(core::Value& out, Index at, const Wanted& wanted);
    void fill_map(core::Value& out, Index at, const Wanted& wanted);
    /// The text of a string, after checking that it can be written back.
    [[nodiscard]] std::string_view text(Index at, const core::SourceSpan& span) const;
    /// Checks a value that is not wanted for the same errors as fill().
    void check(Index at);
    void check_keys(Index map);
    [[nodiscard]] bool keys_may_repeat(Index map);
    [[nodiscard]] core::SourceSpan span(Index at, std::size_t length);

    /// A place in the text. Spans are usually asked for in ascending order.
    struct Place {
        std::size_t at = 0;
        int line = 1;
        int column = 1;
    };

    std::shared_ptr<const core::SourceText> source_;
    const core::JsonText& json_;
    std::string_view text_;
    bool ascii_;  ///< Whether the whole text is ASCII: strings without escapes can then be written
                  ///< back.
    Place begin_;
    Place last_;
    std::vector<std::string_view> keys_;
};

}  // namespace berth::experiments
