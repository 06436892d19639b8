#pragma once

#include <string>
#include <vector>

namespace berth::experiments {

/// A word that may stand where one was begun.
struct Completion {
    std::string text;          ///< The whole word. One that goes on ends in `/`, `=`, `:` or `,`.
    std::string meaning = {};  ///< In a few words; may be empty.
};

/// A value that was begun, and what the command line says before it.
struct BegunValue {
    std::string text;                     ///< What is typed of it.
    std::vector<std::string> positional;  ///< The arguments before it that are no options.
};

}  // namespace berth::experiments
