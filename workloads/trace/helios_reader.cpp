/// helios: SenseTime's GPU clusters, the `cluster_log.csv` of each.

#include <algorithm>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/slurm_state.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace {

enum Column : std::size_t {
    job_id,
    user,
    vc,
    gpu_num,
    cpu_num,
    node_num,
    state,
    submit_time,
    start_time,
    end_time,
    duration,
};

std::vector<core::CsvColumn> columns() {
    return {{"job_id"},
            {"user", false},
            {"vc", false},
            {"gpu_num"},
            {"cpu_num", false},
            {"node_num", false},
            {"state", false},
            {"submit_time"},
            {"start_time", false},
            {"end_time", false},
            {"duration", false}};
}

class HeliosReader final : public RowReader {
public:
    HeliosReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options), rows_(std::move(text), {}, columns()) {
        note(rows_.near_misses());
    }

private:
    Row read(TraceJob& job) override {
        if (!rows_.next()) {
            return Row::end;
        }
        begin_row(rows_.line());
        job.name = rows_.text(job_id);
        if (job.name.empty()) {
            rows_.fail(job_id, "empty", "the job's name");
        }
        job.user = rows_.text(user);
        job.queue = rows_.text(vc);
        job.members = std::max<std::int64_t>(rows_.amount(node_num, member_count).value_or(1), 1);
        job.gpus.count = per_member(rows_.need_amount(gpu_num, gpu_count), job.members);
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
        job.cpu_milli = per_member(rows_.amount(cpu_num, cpu_in_cores).value_or(0), job.members);
        if (!rows_.text(state).empty()) {
            const auto status = status_of_slurm_state(rows_.text(state));
            if (!status) {
                rows_.fail(state, "unknown state", slurm_states);
            }
            job.status = *status;
        }
        job.submit = date(submit_time);
        job.start = date(start_time);
        job.finish = date(end_time);
        job.run_time = missing(duration) ? std::nullopt : rows_.seconds(duration);
        if (job.start && job.finish && *job.finish < *job.start) {
            rows_.fail(end_time, "ends before it starts: expected no earlier end_time");
        }
        clock_.set_to_zero(job);
        return Row::job;
    }

    /// The log has totals; a job's nodes get equal shares, the last one's rest rounded up.
    static std::int64_t per_member(std::int64_t total, core::Members members) {
        return (total + members - 1) / members;
    }

    [[nodiscard]] bool missing(std::size_t column) const {
        const std::string_view cell = rows_.text(column);
        return cell.empty() || cell == "None" || cell == "NaT" || cell == "nan";
    }

    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column) const {
        if (missing(column)) {
            return std::nullopt;
        }
        const auto time = parse_date_time(rows_.text(column));
        if (!time) {
            rows_.fail(column, "no date", "YYYY-MM-DD HH:MM:SS");
        }
        return time;
    }

    CsvRows rows_;
    TraceClock clock_;
};

}  // namespace

std::unique_ptr<TraceReader> make_helios_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<HeliosReader>(std::move(text), options);
}

}  // namespace berth::workloads
