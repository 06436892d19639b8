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

/// A run that is over, as C asks for its parts.
class FinishedRun {
public:
    FinishedRun(experiments::StoredRun files, std::vector<std::string> warnings);

    /// The mean over the replications; not a number where the run has none.
    /// Errors: core::InputError where the run has no such metric.
    [[nodiscard]] double metric(const std::string& name) const;
    /// Stays until the next call.
    /// Errors: as experiments::StoredRun::text().
    [[nodiscard]] const std::string& file(const std::string& name);
    /// nullptr behind the last.
    [[nodiscard]] const char* file_name(std::size_t number) const;
    [[nodiscard]] const std::string& digest() const { return digest_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

private:
    experiments::StoredRun files_;
    std::vector<std::string> warnings_;
    std::vector<std::string> names_;
    std::map<std::string, double> metrics_;
    std::string digest_;
    std::shared_ptr<const std::string> last_;  ///< The file that was asked for last.
};

/// Runs an experiment to its end, into a folder or in memory.
/// Returns: nothing where it was stopped; then it has left nothing.
/// Errors:  as experiments::run_experiment().
[[nodiscard]] std::optional<FinishedRun> run_to_its_end(
    const experiments::ExperimentSpec& spec,
    const core::Value& document,
    const std::optional<std::filesystem::path>& folder,
    unsigned threads,
    sim::RunControl& control);

}  // namespace berth::c
