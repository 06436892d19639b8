#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/stored/stored_run.hpp"
#include "sim/run/run_control.hpp"

namespace berth::c {

/// A run that is over, in the parts that C asks for.
class FinishedRun {
public:
    FinishedRun(experiments::StoredRun files, std::vector<std::string> warnings);

    /// The mean over the replications; not a number where the run has none.
    /// Errors: core::InputError where the run has no such metric.
    [[nodiscard]] double metric(const std::string& name) const;
    /// The bytes stay valid until the next call.
    /// Errors: as experiments::StoredRun::text().
    [[nodiscard]] const std::string& file(const std::string& name);
    /// The name of a file by its number; nullptr behind the last one.
    [[nodiscard]] const char* file_name(std::size_t number) const;
    [[nodiscard]] const std::string& digest() const { return digest_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

private:
    experiments::StoredRun files_;
    std::vector<std::string> warnings_;
    std::vector<std::string> names_;
    std::map<std::string, double> metrics_;
    std::string digest_;
    std::shared_ptr<const std::string> last_;  ///< Keeps the text alive that file() returned last.
};

/// Runs an experiment to its end, into a folder or in memory.
/// Returns: nothing where the run was stopped; it has then left no files.
/// Errors:  as experiments::run_experiment().
[[nodiscard]] std::optional<FinishedRun> run_to_its_end(
    const experiments::ExperimentSpec& spec,
    const core::Value& document,
    const std::optional<std::filesystem::path>& folder,
    unsigned threads,
    sim::RunControl& control);

}  // namespace berth::c
