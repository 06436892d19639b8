#include "workloads/trace/cluster_log.hpp"

#include <algorithm>

#include "workloads/trace/slurm_amounts.hpp"

namespace berth::workloads {
namespace {

/// The share of each node. The log has only the job's totals; nodes get equal shares, rounded up.
std::int64_t per_member(std::int64_t total, core::Members members) {
    return (total + members - 1) / members;
}

}  // namespace

void ClusterLog::read(TraceJob& job) const {
    job.name = rows_.text(columns_.job_id);
    if (job.name.empty()) {
        rows_.fail(columns_.job_id, "empty", "the job's name");
    }
    job.user = rows_.text(columns_.user);
    read_amounts(job);
    job.status = status();
    job.submit = date(columns_.submit_time);
    job.start = date(columns_.start_time);
    job.finish = date(columns_.end_time);
    if (job.start && job.finish && *job.finish < *job.start) {
        rows_.fail(columns_.end_time, "ends before it starts: expected no earlier end_time");
    }
}

bool ClusterLog::missing(std::size_t column) const {
    const std::string_view cell = rows_.text(column);
    return cell.empty() || cell == "None" || cell == "NaT" || cell == "nan";
}

void ClusterLog::read_amounts(TraceJob& job) const {
    job.members =
        std::max<std::int64_t>(rows_.amount(columns_.node_num, member_count).value_or(1), 1);
    job.gpus.count = per_member(rows_.need_amount(columns_.gpu_num, gpu_count), job.members);
    job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
    job.cpu_milli =
        per_member(rows_.amount(columns_.cpu_num, cpu_in_cores).value_or(0), job.members);
}

TraceStatus ClusterLog::status() const {
    const std::string_view cell = rows_.text(columns_.state);
    if (cell.empty()) {
        return TraceStatus::unknown;
    }
    const auto status = status_of_slurm_state(cell);
    if (!status) {
        rows_.fail(columns_.state, "unknown state", slurm_states);
    }
    return *status;
}

std::optional<sim::SimTime> ClusterLog::date(std::size_t column) const {
    if (missing(column)) {
        return std::nullopt;
    }
    const auto time = parse_date_time(rows_.text(column));
    if (!time) {
        rows_.fail(column, "no date", "YYYY-MM-DD HH:MM:SS");
    }
    return time;
}

}  // namespace berth::workloads
