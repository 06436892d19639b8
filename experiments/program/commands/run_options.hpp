#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/run/packed_files.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What every command that runs an experiment takes: `--threads`, `--seed`, `--set`,
/// `--allow-code`.
void add_run_options(boost::program_options::options_description& options);

/// `--allow-code`, which add_run_options() adds too, and whether it is given.
void add_code_option(boost::program_options::options_description& options);
[[nodiscard]] bool allows_code(const boost::program_options::variables_map& values);

/// Errors: core::InputError at the option.
[[nodiscard]] unsigned threads_of(const boost::program_options::variables_map& values);

/// What `--seed` and `--set` change, in their order.
/// Errors: core::InputError at the option.
[[nodiscard]] std::vector<Override> overrides_of(
    const boost::program_options::variables_map& values);

/// `--tables` and `--compress`, and the form that a command's runs store their tables in by it.
void add_table_options(boost::program_options::options_description& options);
/// Errors: core::InputError at the option.
[[nodiscard]] TableForm tables_of(const boost::program_options::variables_map& values);

/// An experiment as the command line gives it.
struct LoadedExperiment {
    ResolvedExperiment resolved;
    ExperimentSpec spec;
};
/// Reads it, and says on standard error what it warns of.
/// Errors: core::InputError.
[[nodiscard]] LoadedExperiment load_experiment(const std::string& file,
                                               const boost::program_options::variables_map& values);

/// What a command's runs listen to: an interrupt ends them soon. Ask for it before making a folder:
/// what a signal ended before stays behind.
[[nodiscard]] sim::RunControl& interruptible_control();

/// `--check-invariants`, and what it has the runs of a command do.
void add_invariants_option(boost::program_options::options_description& options);
void heed_invariants_option(const boost::program_options::variables_map& values,
                            sim::RunControl& control);
/// After what events they were checked, in words; empty if they were not.
[[nodiscard]] std::string invariants_text(const sim::RunControl& control);

/// The text of an option as a value whose place in messages is the option.
[[nodiscard]] core::Value option_value(const std::string& option, const std::string& text);

}  // namespace berth::experiments
