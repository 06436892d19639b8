#include "experiments/program/commands/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace berth::experiments {

namespace {

/// What stays on one line: a word, what stands in brackets, and an option with its value.
std::vector<std::string> pieces_of(std::string_view text) {
    std::istringstream words{std::string(text)};
    std::vector<std::string> pieces;
    bool is_open = false;
    for (std::string word; words >> word;) {
        const bool is_value = !pieces.empty() && pieces.back().starts_with('-') &&
                              pieces.back().find(' ') == std::string::npos &&
                              !word.starts_with('-');
        if (is_open || is_value) {
            pieces.back() += ' ' + word;
        } else {
            pieces.push_back(word);
        }
        const std::string& last = pieces.back();
        is_open = std::ranges::count(last, '(') + std::ranges::count(last, '[') >
                  std::ranges::count(last, ')') + std::ranges::count(last, ']');
    }
    return pieces;
}

}  // namespace

std::string wrapped(std::string_view text, const Wrapping& how) {
    constexpr std::size_t width = 80;
    std::string out;
    std::size_t column = how.column;
    for (const std::string& piece : pieces_of(text)) {
        if (!out.empty() && column + 1 + piece.size() + how.continued.size() > width) {
            out += how.continued;
            out += '\n';
            out.append(how.indent, ' ');
            column = how.indent;
        } else if (!out.empty()) {
            out += ' ';
            ++column;
        }
        out += piece;
        column += piece.size();
    }
    return out + '\n';
}

std::string short_form(const boost::program_options::option_description& option) {
    std::string name = option.canonical_display_name(
        boost::program_options::command_line_style::allow_dash_for_short);
    return name.starts_with('-') ? name : std::string();  // otherwise it is the long one
}

std::string options_text(const boost::program_options::options_description& options) {
    constexpr std::size_t column_min = 25;
    std::vector<std::string> names;
    std::size_t column = column_min;
    for (const auto& option : options.options()) {
        names.push_back(fmt::format("  {} {}", option->format_name(), option->format_parameter()));
        column = std::max(column, names.back().size() + 2);
    }
    std::string out = "options\n";
    for (std::size_t i = 0; i < names.size(); ++i) {
        out += fmt::format("{:<{}}{}",
                           names[i],
                           column,
                           wrapped(options.options()[i]->description(), {column, column}));
    }
    return out;
}

}  // namespace berth::experiments
