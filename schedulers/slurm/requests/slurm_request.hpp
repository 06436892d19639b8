#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/slurm/decide/objects.hpp"
#include "schedulers/slurm/documents/read_configuration.hpp"

namespace berth::experiments {

using core::slurm::Milliseconds;
using core::slurm::Pass;

/// A job of a request, or one task of an array.
struct AskedTask {
    std::int64_t task = 0;
    /// How long it runs if the request knows; otherwise it runs `sleep`, and starts and ends take
    /// a little more.
    std::optional<Milliseconds> run;
};
struct AskedJob {
    std::string name;
    core::slurm::Job job;
    Milliseconds submit = 0;
    Milliseconds sleep = 0;
    bool is_array = false;
    std::vector<AskedTask> tasks;
    /// The job must end before this one starts; empty if there is none.
    std::string after;
    std::optional<std::size_t> after_job;  ///< Its place among the jobs of the request.
    /// Why sbatch refuses the job, in its words; empty if it does not.
    std::string refused;
};

struct RecordedPass {
    Milliseconds at = 0;
    Pass kind = Pass::main;
};

/// A request of `berth slurm --jsonl`. Times are milliseconds after its instant 0.
struct SlurmRequest {
    core::slurm::Cluster cluster;
    core::slurm::Clocks clocks;
    /// What the configuration says and berth does not follow, a sentence each.
    std::vector<std::string> not_followed;
    Milliseconds clock_at_0 = 0;       ///< Since 1970.
    std::vector<AskedJob> jobs;        ///< In the order of submission.
    std::vector<RecordedPass> passes;  ///< In order; without any, the loops run on their own clock.
};

/// Errors: RequestError.
[[nodiscard]] SlurmRequest read_slurm_request(const RequestField& request);

}  // namespace berth::experiments
