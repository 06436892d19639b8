#include "experiments/program/commands/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>
#include <sstream>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/help_text.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

#define BERTH_COMMAND(name, usage, summary, examples) \
    int run_##name(const std::vector<std::string>&);
#include "experiments/program/commands/commands.def"
#include "schedulers/requests/commands.def"
#undef BERTH_COMMAND

namespace {

/// A command's name as users type it: the name of its function, with hyphens.
template <std::size_t size>
struct Hyphenated {
    char text[size]{};
    // Implicit, so that a literal can be the argument of a template.
    constexpr Hyphenated(const char (&name)[size]) {  // NOLINT(google-explicit-constructor)
        for (std::size_t i = 0; i < size; ++i) {
            text[i] = name[i] == '_' ? '-' : name[i];
        }
    }
};
template <Hyphenated name>
constexpr Hyphenated hyphenated = name;

}  // namespace

std::span<const Command> commands() {
    static constexpr auto table = [] {
        std::array all{
#define BERTH_COMMAND(name, usage, summary, examples) \
    Command{hyphenated<#name>.text, usage, summary, examples, &run_##name},
#include "experiments/program/commands/commands.def"
#include "schedulers/requests/commands.def"
#undef BERTH_COMMAND
        };
        std::ranges::sort(all, {}, &Command::name);
        return all;
    }();
    return table;
}

namespace {

const Command& find_command(std::string_view name) {
    for (const Command& command : commands()) {
        if (command.name == name) {
            return command;
        }
    }
    throw std::logic_error("no such command");
}

bool takes_settings(const po::options_description& options) {
    return options.find_nothrow("set", false) != nullptr;
}

/// The path of an experiment's key that an option is mistaken for, such as `spec.replications` for
/// `--replications`; empty for any other option.
std::string_view path_of(std::string_view option) {
    struct Key {
        std::string_view name;  ///< Name in lower case, without hyphens.
        std::string_view path;
    };
    static constexpr std::array keys{Key{"attainable", "spec.record.attainable"},
                                     Key{"lostwork", "spec.scheduler.lostWork"},
                                     Key{"numfit", "spec.scheduler.profile.placementGroup.numFit"},
                                     Key{"onfailure", "spec.scheduler.onFailure"},
                                     Key{"period", "spec.scheduler.period"},
                                     Key{"policy", "spec.scheduler.profile.score"},
                                     Key{"postfilter", "spec.scheduler.profile.postFilter"},
                                     Key{"queue", "spec.scheduler.profile.queueSort"},
                                     Key{"queuesort", "spec.scheduler.profile.queueSort"},
                                     Key{"replications", "spec.replications"},
                                     Key{"reserve", "spec.scheduler.profile.reserve"},
                                     Key{"retry", "spec.scheduler.retry"},
                                     Key{"sampleevery", "spec.record.sampleEvery"},
                                     Key{"score", "spec.scheduler.profile.score"},
                                     Key{"seed", "spec.seed"},
                                     Key{"solver", "spec.scheduler.profile.placementGroup.solver"},
                                     Key{"until", "spec.until"},
                                     Key{"warmup", "spec.record.warmUp"}};
    std::string name;
    for (const char c : option) {
        if (c != '-') {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    const auto* key = std::ranges::find(keys, name, &Key::name);
    return key == keys.end() ? std::string_view() : key->path;
}

/// The value that the arguments give to an option: `--until 1d`, `--until=1d`.
std::string value_of(const std::string& option, const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].starts_with(option + "=")) {
            return arguments[i].substr(option.size() + 1);
        }
        if (arguments[i] == option && i + 1 < arguments.size() &&
            !arguments[i + 1].starts_with('-')) {
            return arguments[i + 1];
        }
    }
    return "VALUE";
}

/// The message of Boost about wrong arguments, with what was expected.
std::string explain(const po::error& error,
                    const po::options_description& options,
                    const std::vector<std::string>& arguments) {
    if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&error)) {
        std::vector<std::string> names;
        for (const auto& option : options.options()) {
            names.push_back("--" + option->long_name());
        }
        const std::string given = unknown->get_option_name();  // includes the value in `--until=1d`
        const std::string wrong = given.substr(0, given.find('='));
        const std::string_view path = path_of(wrong);
        if (!path.empty() && takes_settings(options)) {
            return fmt::format(
                "unknown option '{}': expected --set {}={}, since it is a key of the experiment",
                wrong,
                path,
                value_of(wrong, arguments));
        }
        return fmt::format("unknown option '{}': expected {}{}",
                           wrong,
                           core::alternatives(names),
                           core::suggestion(wrong, names));
    }
    return fmt::format("{}: expected the usage below", error.what());
}

/// What is expected instead of a superfluous argument.
std::string instead_of(const std::string& extra,
                       std::string_view command,
                       const po::options_description& options,
                       int positional_max) {
    if (takes_settings(options) && extra.find('=') != std::string::npos) {
        return fmt::format("--set before each, as in --set {}", extra);
    }
    if (command == "run") {
        return "one experiment: berth run is called once for each, and berth sweep runs variants "
               "of one";
    }
    return positional_max == 0 ? "none" : fmt::format("{} at most", positional_max);
}

std::string usage_text(const Command& command) {
    const std::string head = fmt::format("usage: berth {} ", command.name);
    std::string text = head + wrapped(command.usage, {head.size(), 4});
    text.pop_back();  // the caller ends the line
    return text;
}

void print_examples(const Command& command) {
    std::cout << "examples\n";
    std::string_view rest = command.examples;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::cout << "  " << wrapped(rest.substr(0, end), {2, 6, " \\"});
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::cout << note_of(command);
}

/// Errors: core::InputError about the command line, always. The usage stands below the message.
[[noreturn]] void refuse(std::string_view command,
                         std::string_view message,
                         const std::string& usage) {
    throw core::InputError(core::MessageLines{
        fmt::format("berth {}: error: {}\n{}", command, core::in_one_line(message), usage)});
}

/// While parameters_of() runs a command, parse_arguments() stores the command's parameters here.
std::optional<Parameters>* asked = nullptr;

}  // namespace

Parameters parameters_of(const Command& command) {
    std::optional<Parameters> told;
    asked = &told;
    command.run({});
    asked = nullptr;
    BERTH_ASSERT(told.has_value(), "each command parses its arguments before it does anything");
    return std::move(*told);
}

std::string_view note_of(const Command& command) {
    return command.usage.starts_with("RUN")
               ? "A RUN is a run directory, or a point of a sweep as DIR:axis=value,axis=value.\n"
               : "";
}

std::optional<po::variables_map> parse_arguments(std::string_view command,
                                                 const std::vector<std::string>& arguments,
                                                 const po::options_description& options,
                                                 std::string_view positional,
                                                 int positional_max) {
    const Command& entry = find_command(command);
    const std::string usage = usage_text(entry);
    po::options_description all;
    all.add(options);
    all.add_options()("help,h", "show this help");
    if (asked != nullptr) {
        asked->emplace(Parameters{all, std::string(positional), positional_max});
        return std::nullopt;
    }
    po::options_description hidden;
    po::positional_options_description positions;
    const std::string name(positional.empty() ? "arguments" : positional);
    hidden.add_options()(name.c_str(), po::value<std::vector<std::string>>());
    positions.add(name.c_str(), -1);
    po::options_description accepted;
    accepted.add(all).add(hidden);
    po::variables_map values;
    try {
        using Style = po::command_line_style::style_t;
        po::store(po::command_line_parser(arguments)
                      .options(accepted)
                      .positional(positions)
                      .style(Style(Style::unix_style & ~Style::allow_guessing))
                      .run(),
                  values);
        po::notify(values);
    } catch (const po::error& error) {
        refuse(command, explain(error, all, arguments), usage);
    }
    if (values.count("help") > 0) {
        std::cout << usage << "\n" << wrapped(entry.summary, {}) << options_text(all);
        print_examples(entry);
        return std::nullopt;
    }
    const std::vector<std::string> given = positional_arguments(values, name);
    if (positional_max >= 0 && std::ssize(given) > positional_max) {
        const std::string& extra = given[static_cast<std::size_t>(positional_max)];
        refuse(command,
               fmt::format("'{}' is one argument too many: expected {}",
                           extra,
                           instead_of(extra, command, all, positional_max)),
               usage);
    }
    return values;
}

std::vector<std::string> positional_arguments(const po::variables_map& values,
                                              const std::string& positional) {
    return values.count(positional) > 0 ? values[positional].as<std::vector<std::string>>()
                                        : std::vector<std::string>();
}

std::vector<std::string> needed_arguments(const po::variables_map& values,
                                          std::string_view command,
                                          const std::string& positional) {
    std::vector<std::string> found = positional_arguments(values, positional);
    std::istringstream names(positional);
    std::vector<std::string> missing;
    std::size_t needed = 0;
    for (std::string name; names >> name; ++needed) {
        if (needed >= found.size()) {
            missing.push_back("no " + name);
        }
    }
    if (!missing.empty()) {
        refuse(command,
               fmt::format("{}: expected {}{}",
                           core::join(missing, " and "),
                           missing.size() == 1 ? "one" : "both",
                           as_in_example(command)),
               usage_text(find_command(command)));
    }
    return found;
}

std::optional<std::string> renamed_option(const po::variables_map& values,
                                          std::string_view command,
                                          const std::string& name,
                                          const std::string& older_name) {
    if (values.count(name) > 0 && values.count(older_name) > 0) {
        throw core::InputError(
            fmt::format("berth {0}: error: --{1} beside --{2}: expected one of them, since --{2} "
                        "is the older name of --{1}",
                        command,
                        name,
                        older_name));
    }
    for (const std::string& given : {name, older_name}) {
        if (values.count(given) > 0) {
            return values[given].as<std::string>();
        }
    }
    return std::nullopt;
}

std::string as_in_example(std::string_view command) {
    const std::string_view examples = find_command(command).examples;
    return fmt::format(", as in `{}`", examples.substr(0, examples.find('\n')));
}

}  // namespace berth::experiments
