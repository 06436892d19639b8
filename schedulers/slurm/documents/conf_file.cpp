#include "schedulers/slurm/documents/conf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::experiments {
namespace {

constexpr std::string_view blanks = " \t\r";

/// The words of a line up to a comment; blanks inside of quotes are part of a word.
std::vector<std::string> words_of(std::string_view line, const std::string& place) {
    std::vector<std::string> words;
    std::string word;
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '#' && !is_quoted) {
            break;
        }
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (is_quoted || blanks.find(c) == std::string_view::npos) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, ""));
        }
    }
    if (is_quoted) {
        throw SlurmFault(fmt::format("{}: a quote does not end: expected \"", place));
    }
    if (!word.empty()) {
        words.push_back(std::move(word));
    }
    return words;
}

ConfLine line_of(const std::vector<std::string>& words, const std::string& place) {
    ConfLine line;
    if (!words.empty() && same_word(words[0], "Include")) {
        SlurmSetting{place, words[0], words.size() > 1 ? words[1] : ""}.fail(
            "the lines of that file in its place: only this text is here");
    }
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw SlurmFault(fmt::format("{}: '{}': expected KEY=VALUE", place, word));
        }
        line.push_back({place, word.substr(0, equals), word.substr(equals + 1)});
    }
    return line;
}

}  // namespace

std::vector<ConfLine> conf_lines(std::string_view text, std::string_view name) {
    std::vector<ConfLine> lines;
    std::string joined;
    std::size_t first = 0;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        first = joined.empty() ? number : first;
        line = line.substr(0, line.find_last_not_of(blanks) + 1);
        if (line.ends_with('\\') && !text.empty()) {
            joined += fmt::format("{} ", line.substr(0, line.size() - 1));
            continue;
        }
        joined += line;
        const std::string place = fmt::format("{}:{}", name, first);
        if (ConfLine read = line_of(words_of(joined, place), place); !read.empty()) {
            lines.push_back(std::move(read));
        }
        joined.clear();
    }
    return lines;
}

}  // namespace berth::experiments
