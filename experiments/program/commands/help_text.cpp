#include "experiments/program/commands/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

/// Splits a text into pieces that must stay on one line: a word, a text in brackets, or an option
/// with its value.
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

namespace po = boost::program_options;

/// A text in the language of man(7): hyphens can be copied, and no line is taken for a request.
std::string shown(std::string_view text) {
    std::string out;
    for (const char letter : text) {
        if ((letter == '.' || letter == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
        }
        switch (letter) {
            case '\\':
                out += "\\e";
                break;
            case '-':
                out += "\\-";
                break;
            case '^':
                out += "\\(ha";
                break;
            case '~':
                out += "\\(ti";
                break;
            case '`':
                out += "\\(ga";
                break;
            default:
                out += letter;
        }
    }
    return out;
}

std::string bold(std::string_view text) {
    return "\\fB" + shown(text) + "\\fR";
}

/// The head of a page, up to its synopsis. `name` is `berth` or `berth-run`.
std::string head(std::string_view name, std::string_view summary) {
    std::string title;
    std::ranges::transform(name, std::back_inserter(title), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    // A page has no date, so that the same sources give the same bytes. Words are not hyphenated,
    // and lines are not justified.
    return fmt::format(
        ".TH {} 1 \"\" \"berth {}\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\n{} \\- {}\n",
        shown(title),
        version,
        shown(name),
        shown(summary));
}

/// The option as text: `-o, --output DIR`.
std::string option_text(const po::option_description& option) {
    const std::string short_name = short_form(option);
    const std::string value = option.format_parameter();
    return (short_name.empty() ? "" : bold(short_name) + ", ") + bold("--" + option.long_name()) +
           (value.empty() ? "" : " \\fI" + shown(value) + "\\fR");
}

std::string options_section(const po::options_description& options) {
    std::string out = ".SH OPTIONS\n";
    for (const auto& option : options.options()) {
        out += fmt::format(".TP\n{}\n{}\n", option_text(*option), shown(option->description()));
    }
    return out;
}

std::string examples_section(const Command& command) {
    return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", shown(command.examples));
}

std::string exit_section() {
    return fmt::format(".SH EXIT STATUS\n{}", shown(exit_statuses));
}

/// References to other pages, separated by commas.
std::string see_section(const std::vector<std::string>& names) {
    std::vector<std::string> references;
    for (const std::string& name : names) {
        references.push_back(fmt::format(".BR {} (1)", shown(name)));
    }
    return ".SH SEE ALSO\n" + core::join(references, ",\n") + "\n";
}

std::string page_name(const Command& command) {
    return fmt::format("berth-{}", command.name);
}

std::string page_of_all() {
    std::string out = head("berth", program_summary);
    out += ".SH SYNOPSIS\n.B berth\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH COMMANDS\n";
    std::vector<std::string> pages;
    for (const Command& command : commands()) {
        out += fmt::format(".TP\n{}\n{}\n", bold(command.name), shown(command.summary));
        pages.push_back(page_name(command));
    }
    out += fmt::format(".SH OPTIONS\n.TP\n{}\ntell the commands\n.TP\n{}\ntell the version\n",
                       bold("--help"),
                       bold("--version"));
    return out + exit_section() + see_section(pages);
}

std::string page_of(const Command& command) {
    std::string out = head(page_name(command), command.summary);
    out +=
        fmt::format(".SH SYNOPSIS\n.B berth {}\n{}\n", shown(command.name), shown(command.usage));
    out += options_section(parameters_of(command).options);
    out += examples_section(command);
    if (const std::string_view note = note_of(command); !note.empty()) {
        out += ".SH NOTES\n" + shown(note);
    }
    return out + exit_section() + see_section({"berth"});
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
    return name.starts_with('-') ? name : std::string();  // otherwise it is the long name
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

std::string manual_page(std::string_view name) {
    if (name.empty()) {
        return page_of_all();
    }
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (command.name == name) {
            return page_of(command);
        }
        names.emplace_back(command.name);
    }
    throw core::InputError(
        fmt::format("berth manual-page: error: unknown command '{}': expected {}{}",
                    name,
                    core::alternatives(names),
                    core::suggestion(std::string(name), names)));
}

}  // namespace berth::experiments
