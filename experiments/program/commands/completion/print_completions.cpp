#include "experiments/program/commands/completion/print_completions.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/completion/completion.hpp"
#include "experiments/program/commands/completion/values.hpp"
#include "experiments/program/commands/help_text.hpp"

namespace berth::experiments {
namespace {

using Words = std::vector<std::string>;

/// Whether a backslash between double quotes escapes this letter.
bool is_escaped_in_quotes(char letter) {
    return std::string_view("$`\"\\").find(letter) != std::string_view::npos;
}

/// The words of a command line as a shell reads them: split at blanks, with backslashes and quotes
/// removed. A quote may still be open. The last word is the one with the cursor; after a blank it
/// is empty. Variables and commands inside words are kept as they are written.
std::vector<std::string> shell_words(std::string_view line) {
    std::vector<std::string> words(1);
    char quote = '\0';
    bool is_begun = false;  // also true for a word that is an empty pair of quotes
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

namespace po = boost::program_options;

bool takes_value(const po::option_description& option) {
    return option.semantic()->max_tokens() > 0;
}

/// The option that a word names, such as `--output` or `-o`; nullptr if there is none.
const po::option_description* option_named(const po::options_description& options,
                                           std::string_view word) {
    for (const auto& option : options.options()) {
        if (word == "--" + option->long_name() || word == short_form(*option)) {
            return option.get();
        }
    }
    return nullptr;
}

/// What the words before the last one tell.
struct Before {
    std::vector<std::string> positional;
    const po::option_description* open = nullptr;  ///< An option whose value is the last word.
    bool has_ended = false;                        ///< Whether `--` was given: no later word is an
                                                   ///< option.
};

Before read_before(const Parameters& parameters, const std::vector<std::string>& words) {
    Before before;
    for (std::size_t at = 0; at + 1 < words.size(); ++at) {
        const std::string& word = words[at];
        if (before.open != nullptr) {
            before.open = nullptr;  // this word is the value
        } else if (before.has_ended || !word.starts_with('-') || word == "-") {
            before.positional.push_back(word);
        } else if (word == "--") {
            before.has_ended = true;
        } else if (const auto* option = option_named(parameters.options, word);
                   option != nullptr && takes_value(*option)) {
            before.open = option;
        }
    }
    return before;
}

std::vector<Completion> options_of(const Parameters& parameters) {
    std::vector<Completion> out;
    for (const auto& option : parameters.options.options()) {
        out.push_back({"--" + option->long_name(), option->description()});
        if (const std::string name = short_form(*option); !name.empty()) {
            out.push_back({name, option->description()});
        }
    }
    return out;
}

std::vector<Completion> values_of(std::string_view command,
                                  std::string_view parameter,
                                  const BegunValue& begun) {
    const ValueKind* kind = find_value_kind(command, parameter);
    return kind == nullptr ? std::vector<Completion>() : kind->completions(begun, kind->detail);
}

/// The name of the next positional argument; nothing if no more are allowed.
std::optional<std::string> next_positional(const Parameters& parameters, std::size_t place) {
    if (parameters.positional_max >= 0 &&
        place >= static_cast<std::size_t>(parameters.positional_max)) {
        return std::nullopt;
    }
    std::istringstream names(parameters.positional);
    std::string name;
    for (std::size_t at = 0; at <= place && names >> name; ++at) {
    }
    return name;
}

/// Completes the words behind the command's name.
std::vector<Completion> complete_command(const Command& command,
                                         const std::vector<std::string>& words) {
    const Parameters parameters = parameters_of(command);
    const Before before = read_before(parameters, words);
    const std::string& word = words.back();
    if (before.open != nullptr) {
        return values_of(command.name, before.open->long_name(), {word, before.positional});
    }
    if (const std::size_t equals = word.find('=');
        !before.has_ended && word.starts_with("--") && equals != std::string::npos) {
        const std::string option = word.substr(0, equals + 1);
        std::vector<Completion> out = values_of(
            command.name, word.substr(2, equals - 2), {word.substr(equals + 1), before.positional});
        for (Completion& value : out) {
            value.text.insert(0, option);
        }
        return out;
    }
    if (!before.has_ended && word.starts_with('-')) {
        return options_of(parameters);
    }
    const auto positional = next_positional(parameters, before.positional.size());
    return positional ? values_of(command.name, *positional, {word, before.positional})
                      : std::vector<Completion>();
}

std::vector<Completion> first_words() {
    std::vector<Completion> out;
    for (const Command& command : commands()) {
        out.push_back({std::string(command.name), std::string(command.summary)});
    }
    out.push_back({"--help", "tell the commands"});
    out.push_back({"--version", "tell the version"});
    return out;
}

/// What the last word of a command line may become: commands, options, and values of options and
/// positional arguments.
///
/// `words`: the words behind `berth`, without quotes; the last one is completed, and may be empty.
/// Errors:  those of reading a run that the words name.
std::vector<Completion> complete(const std::vector<std::string>& words) {
    std::vector<Completion> out;
    if (words.size() == 1) {
        out = first_words();
    }
    for (const Command& command : commands()) {
        if (words.size() > 1 && command.name == words[0]) {
            out = complete_command(command, {words.begin() + 1, words.end()});
        }
    }
    std::set<std::string> seen;  // because two lists may contain the same name
    std::erase_if(out, [&](const Completion& completion) {
        return !completion.text.starts_with(words.back()) || !seen.insert(completion.text).second;
    });
    return out;
}

/// Whether a text has no tab and no line end, which would split it into two.
bool fits_a_line(const std::string& text) {
    return text.find_first_of("\t\n") == std::string::npos;
}

void print_for_bash(const std::string& line, const std::string& exchanged, std::ostream& out) {
    Words words = shell_words(line);
    words.erase(words.begin());
    if (words.empty() || !line.ends_with(exchanged)) {
        return;
    }
    // The part of the word that bash keeps may have opened a quote that is not closed yet.
    const std::string before = line.substr(0, line.size() - exchanged.size());
    const std::size_t kept = shell_words(before).back().size();
    for (const Completion& completion : complete(words)) {
        if (fits_a_line(completion.text)) {
            out << completion.text.substr(kept) << '\n';
        }
    }
}

void print_with_meanings(const Words& words, std::ostream& out) {
    for (const Completion& completion : complete(words)) {
        if (fits_a_line(completion.text) && fits_a_line(completion.meaning)) {
            out << completion.text << '\t' << completion.meaning << '\n';
        }
    }
}

}  // namespace

void print_completions(const Words& arguments, std::ostream& out) {
    try {
        if (arguments.size() == 3 && arguments[0] == "bash") {
            print_for_bash(arguments[1], arguments[2], out);
        } else if (!arguments.empty() && (arguments[0] == "fish" || arguments[0] == "zsh")) {
            print_with_meanings({arguments.begin() + 1, arguments.end()}, out);
        }
    } catch (const std::exception&) {
        return;  // a run that cannot be read has nothing to offer
    }
}

}  // namespace berth::experiments
