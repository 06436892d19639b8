#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/run/packed_files.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// Adds the options of every command that runs an experiment: `--threads`, `--seed`, `--set`,
/// `--allow-code`.
void add_run_options(boost::program_options::options_description& options);

/// Adds `--allow-code`, as add_run_options() does too; and tells whether it was given.
void add_code_option(boost::program_options::options_description& options);
[[nodiscard]] bool allows_code(const boost::program_options::variables_map& values);

/// `out/NAME`: the folder of a document with this metadata.name, unless `-o` names another one.
/// Errors: core::InputError for a name that cannot be that of a folder in `out`, at `file`.
[[nodiscard]] std::filesystem::path default_place(const std::filesystem::path& file,
                                                  const std::string& name);

/// Errors: core::InputError at the option.
[[nodiscard]] unsigned threads_of(const boost::program_options::variables_map& values);

/// The changes by `--seed` and `--set`, in their order.
/// Errors: core::InputError at the option.
[[nodiscard]] std::vector<Override> overrides_of(
    const boost::program_options::variables_map& values);

/// Adds `--tables` and `--compress`, which give the form of the tables that a command's runs store.
void add_table_options(boost::program_options::options_description& options);
/// Errors: core::InputError at the option.
[[nodiscard]] TableForm tables_of(const boost::program_options::variables_map& values);

/// An experiment from the command line.
struct LoadedExperiment {
    ResolvedExperiment resolved;
    ExperimentSpec spec;
};
/// Reads it, and prints its warnings on standard error.
/// Errors: core::InputError.
[[nodiscard]] LoadedExperiment load_experiment(const std::string& file,
                                               const boost::program_options::variables_map& values);

/// The control for a command's runs: an interrupt ends them soon, unless it was ignored when the
/// program began, as under nohup. Call this before creating a folder, because a folder stays behind
/// if a signal ends the program before this call.
[[nodiscard]] sim::RunControl& interruptible_control();

/// Adds `--check-invariants`, and applies it to the runs of a command.
void add_invariants_option(boost::program_options::options_description& options);
void heed_invariants_option(const boost::program_options::variables_map& values,
                            sim::RunControl& control);
/// After how many events the invariants were checked, in words; empty if they were not checked.
[[nodiscard]] std::string invariants_text(const sim::RunControl& control);

/// The text of an option as a value whose place in messages is the option.
[[nodiscard]] core::Value option_value(const std::string& option, const std::string& text);

}  // namespace berth::experiments
