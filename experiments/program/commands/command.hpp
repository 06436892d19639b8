#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// One sub-command of `berth`.
struct Command {
    std::string_view name;
    std::string_view usage;     ///< What follows the name: `EXPERIMENT.yaml [-o DIR]`.
    std::string_view summary;   ///< One line.
    std::string_view examples;  ///< Command lines, one a line.
    /// Runs with the arguments after the name. Returns the exit status; throws core::InputError for
    /// wrong arguments or inputs, anything else when it fails while running.
    int (*run)(const std::vector<std::string>& arguments);
};

/// All commands: experiments/program/commands/commands.def, one line a file.
[[nodiscard]] std::span<const Command> commands();

/// What a command takes: its options, among them `--help`, and its positional arguments.
struct Parameters {
    boost::program_options::options_description options;
    std::string positional;  ///< Their names: `RUN POD`; empty if there are none.
    int positional_max = 0;  ///< How many there may be; -1 for any number, all of the last name.
};

/// What the command tells parse_arguments() of itself. It parses and runs nothing.
[[nodiscard]] Parameters parameters_of(const Command& command);

/// Parses a command's arguments; the positional ones are under `positional`.
/// Errors: core::InputError with the nearest known option. Prints the help and returns nothing for
///         `--help`.
[[nodiscard]] std::optional<boost::program_options::variables_map> parse_arguments(
    std::string_view command,
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options,
    std::string_view positional,
    int positional_max);

/// What a command's help says below its examples; empty where there is nothing to say.
[[nodiscard]] std::string_view note_of(const Command& command);

/// What the command line gives of the positional arguments, which may be none.
[[nodiscard]] std::vector<std::string> positional_arguments(
    const boost::program_options::variables_map& values, const std::string& positional);

/// All positional arguments, of which the command needs each in `positional`: `RUN POD`.
/// Errors: core::InputError with those that are missing, and an example.
[[nodiscard]] std::vector<std::string> needed_arguments(
    const boost::program_options::variables_map& values,
    std::string_view command,
    const std::string& positional);

/// The value of an option that has an older name too; nothing if neither was given.
/// Errors: core::InputError if both were.
[[nodiscard]] std::optional<std::string> renamed_option(
    const boost::program_options::variables_map& values,
    std::string_view command,
    const std::string& name,
    const std::string& older_name);

/// The first example of a command's help, as the end of a message: ", as in `berth list metrics`".
[[nodiscard]] std::string as_in_example(std::string_view command);

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_wrong_input = 2;
inline constexpr int exit_interrupted = 130;  ///< As shells report an interrupt.

}  // namespace berth::experiments
