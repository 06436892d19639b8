#include "workloads/trace/cluster_log.hpp"

#include "workloads/trace/slurm_state.hpp"

namespace berth::workloads {

bool ClusterLog::missing(std::size_t column) const {
    const std::string_view cell = rows_.text(column);
    return cell.empty() || cell == "None" || cell == "NaT" || cell == "nan";
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

TraceStatus ClusterLog::status(std::size_t column) const {
    if (rows_.text(column).empty()) {
        return TraceStatus::unknown;
    }
    const auto status = status_of_slurm_state(rows_.text(column));
    if (!status) {
        rows_.fail(column, "unknown state", slurm_states);
    }
    return *status;
}

void ClusterLog::check_times(const TraceJob& job, std::size_t end_column) const {
    if (job.start && job.finish && *job.finish < *job.start) {
        rows_.fail(end_column, "ends before it starts: expected no earlier end_time");
    }
}

}  // namespace berth::workloads
