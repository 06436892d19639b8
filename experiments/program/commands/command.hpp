#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// A sub-command of `berth`.
struct Command {
    std::string_view name;
    std::string_view usage;     ///< The arguments behind the name: `EXPERIMENT.yaml [-o DIR]`.
    std::string_view summary;   ///< One line.
    std::string_view examples;  ///< Command lines, one on each line.
    /// Runs with the arguments after the name. Returns the exit status. Throws core::InputError for
    /// wrong arguments or inputs, and other exceptions for failures while running.
    int (*run)(const std::vector<std::string>& arguments);
};

/// All commands, by name, from experiments/program/commands/commands.def, which has a line for each
/// file, and from those of the schedulers.
[[nodiscard]] std::span<const Command> commands();

/// The parameters of a command: its options, including `--help`, and its positional arguments.
struct Parameters {
    boost::program_options::options_description options;
    std::string positional;  ///< Their names: `RUN POD`; empty if there are none.
    int positional_max = 0;  ///< Maximum number; -1: any number, all of them with the last name.
};

/// The parameters that the command passes to parse_arguments(). Nothing is parsed or run.
[[nodiscard]] Parameters parameters_of(const Command& command);

/// Parses a command's arguments; positional ones are stored under `positional`.
/// Errors: core::InputError with the nearest known option. Prints the help and returns nothing for
///         `--help`.
[[nodiscard]] std::optional<boost::program_options::variables_map> parse_arguments(
    std::string_view command,
    const std::vector<std::string>& arguments,
    const boost::program_options::options_description& options,
    std::string_view positional,
    int positional_max);

/// The note below the examples in a command's help; empty if there is none.
[[nodiscard]] std::string_view note_of(const Command& command);

/// The positional arguments on the command line, which may be none.
[[nodiscard]] std::vector<std::string> positional_arguments(
    const boost::program_options::variables_map& values, const std::string& positional);

/// All positional arguments. The command requires each of those that `positional` names: `RUN POD`.
/// Errors: core::InputError with the missing ones, and an example.
[[nodiscard]] std::vector<std::string> needed_arguments(
    const boost::program_options::variables_map& values,
    std::string_view command,
    const std::string& positional);

/// The value of an option that also has an older name; nothing if neither was given.
/// Errors: core::InputError if both were given.
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
