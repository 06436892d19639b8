#pragma once

#include <string>
#include <vector>

namespace berth::experiments {

/// A word that can complete a word begun by the user.
struct Completion {
    std::string text;          ///< The whole word. A word that can be continued ends in `/`, `=`,
                               ///< `:` or `,`.
    std::string meaning = {};  ///< A few words; may be empty.
};

/// A value that was begun, and the arguments before it.
struct BegunValue {
    std::string text;                     ///< The part that was typed.
    std::vector<std::string> positional;  ///< The positional arguments before it.
};

}  // namespace berth::experiments
