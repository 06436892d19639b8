#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Makes the bytes of another form of a table of its text. They do not depend on how the text is
/// cut into pieces, unless it says so.
class TablePacker {
public:
    virtual ~TablePacker() = default;
    /// Returns: what the pieces so far came to that was not returned before.
    [[nodiscard]] virtual std::string add(std::string_view piece) = 0;
    /// The rest; call it once, at the end.
    [[nodiscard]] virtual std::string finish() = 0;
};

}  // namespace berth::experiments
