#include "schedulers/slurm/requests/slurm.hpp"

#include <fmt/format.h>

#include <memory>

#include "experiments/program/support/json_fields.hpp"
#include "schedulers/slurm/requests/best_run.hpp"
#include "schedulers/slurm/requests/host_list.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

Json start_of(const StartOfJob& start, const AskedJob& job, const slurm::Cluster& cluster) {
    std::vector<std::string> names;
    Json gpus = Json::object();
    for (const slurm::Share& share : start.shares) {
        names.push_back(cluster.nodes[share.node].name);
        for (int gpu = 0; gpu < 64; ++gpu) {
            if ((share.gpus >> gpu & 1) != 0) {
                gpus[names.back()].push_back(gpu);
            }
        }
    }
    Json answer{{"at_s", static_cast<double>(start.at) / 1000},
                {"by", start.by_backfill ? "backfill" : "main"},
                {"nodes", host_list(names)},
                {"gpus", std::move(gpus)}};
    if (job.is_array) {
        answer["task"] = start.task;
    }
    return answer;
}

Json answer_run(const RequestValue& value) {
    const SlurmRequest request = read_slurm_request(RequestField(value));
    const EndTimes ends(request);
    const std::unique_ptr<SlurmRun> run = best_run(request, ends);
    NamedValues jobs(request.jobs.size());
    for (std::size_t i = 0; i < request.jobs.size(); ++i) {
        Json job{{"starts", Json::array()}};
        for (const StartOfJob& start : run->starts()[i]) {
            job["starts"].push_back(start_of(start, request.jobs[i], request.cluster));
        }
        if (run->is_refused(i)) {
            const std::string& why = request.jobs[i].refused;
            job["refused"] =
                fmt::format("Batch job submission failed: {}",
                            why.empty() ? "Requested node configuration is not available" : why);
        }
        if (job["starts"].empty() && run->was_submitted(i)) {
            job["reason"] = run->reason(i);
        }
        jobs.add(request.jobs[i].name, std::move(job));
    }
    Json answer{{"jobs", jobs.take()}};
    if (!request.not_followed.empty()) {
        answer["not_followed"] = request.not_followed;
    }
    return answer;
}

}  // namespace

std::string answer_slurm_request(std::string_view request) {
    return answer_line(request, &answer_run);
}

}  // namespace berth::experiments
