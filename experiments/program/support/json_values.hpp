#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "core/support/json_text.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// Keys of a map that are wanted, and of their values, the keys that are; none: all.
struct WantedKeys {
    std::string_view key;
    std::vector<WantedKeys> below;
};

/// Makes Values of what stands in a JSON text, which a JsonText has parsed.
class JsonValues {
public:
    /// `text` is all of `source`, or a part of it that begins at this line and column.
    JsonValues(std::shared_ptr<const core::SourceText> source,
               const core::JsonText& json,
               std::string_view text,
               int line = 1,
               int column = 1);

    /// The value of the whole text. Call once. Of maps, members that are not wanted are left out,
    /// but they are checked as if they were there.
    ///
    /// Errors: InputError where a key occurs twice, and where a text could not be written back.
    [[nodiscard]] core::Value value(const std::vector<WantedKeys>& wanted);

private:
    using Index = core::JsonText::Index;
    using Wanted = std::vector<WantedKeys>;

    void fill(core::Value& out, Index at, const Wanted& wanted);
    void fill_map(core::Value& out, Index at, const Wanted& wanted);
    /// The text of a string that may be written back.
    [[nodiscard]] std::string_view text(Index at, const core::SourceSpan& span) const;
    /// Does for a value that is not wanted what fill() would have found wrong with it.
    void check(Index at);
    void check_keys(Index map);
    [[nodiscard]] bool keys_may_repeat(Index map);
    [[nodiscard]] core::SourceSpan span(Index at, std::size_t length);

    /// A place in the text: spans are asked for one behind the other.
    struct Place {
        std::size_t at = 0;
        int line = 1;
        int column = 1;
    };

    std::shared_ptr<const core::SourceText> source_;
    const core::JsonText& json_;
    std::string_view text_;
    bool ascii_;  ///< All of the text: what has no escapes may be written back.
    Place begin_;
    Place last_;
    std::vector<std::string_view> keys_;
};

}  // namespace berth::experiments
