#include "experiments/program/commands/completion/complete.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/completion/values.hpp"
#include "experiments/program/commands/help_text.hpp"

namespace berth::experiments {

namespace {

namespace po = boost::program_options;

bool takes_value(const po::option_description& option) {
    return option.semantic()->max_tokens() > 0;
}

/// The option that a word names, `--output` or `-o`; nullptr for none.
const po::option_description* option_named(const po::options_description& options,
                                           std::string_view word) {
    for (const auto& option : options.options()) {
        if (word == "--" + option->long_name() || word == short_form(*option)) {
            return option.get();
        }
    }
    return nullptr;
}

/// What the words before the last one say.
struct Before {
    std::vector<std::string> positional;
    const po::option_description* open = nullptr;  ///< An option whose value is the last word.
    bool has_ended = false;                        ///< After `--` no word is an option.
};

Before read_before(const Parameters& parameters, const std::vector<std::string>& words) {
    Before before;
    for (std::size_t at = 0; at + 1 < words.size(); ++at) {
        const std::string& word = words[at];
        if (before.open != nullptr) {
            before.open = nullptr;  // this is its value
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

/// The name of the positional argument that stands next; nothing if no other may stand there.
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

/// After the command's name.
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

}  // namespace

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
    std::set<std::string> seen;  // two lists may have the same name
    std::erase_if(out, [&](const Completion& completion) {
        return !completion.text.starts_with(words.back()) || !seen.insert(completion.text).second;
    });
    return out;
}

}  // namespace berth::experiments
