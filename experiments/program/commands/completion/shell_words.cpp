#include "experiments/program/commands/completion/shell_words.hpp"

#include <cstddef>

namespace berth::experiments {

namespace {

/// Whether a backslash between double quotes takes the meaning of the letter behind it.
bool is_escaped_in_quotes(char letter) {
    return std::string_view("$`\"\\").find(letter) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> shell_words(std::string_view line) {
    std::vector<std::string> words(1);
    char quote = '\0';
    bool is_begun = false;  // also of a word that is an empty pair of quotes
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char letter = line[at];
        const bool has_next = at + 1 < line.size();
        const bool is_blank = letter == ' ' || letter == '\t';
        if (quote == '\0' && is_blank) {
            if (is_begun) {
                words.emplace_back();
            }
            is_begun = false;
            continue;
        }
        is_begun = true;
        if (letter == '\\' && quote != '\'' && has_next &&
            (quote == '\0' || is_escaped_in_quotes(line[at + 1]))) {
            words.back() += line[++at];
        } else if (letter == quote) {
            quote = '\0';
        } else if (quote == '\0' && (letter == '"' || letter == '\'')) {
            quote = letter;
        } else {
            words.back() += letter;
        }
    }
    return words;
}

}  // namespace berth::experiments
