/// helios: SenseTime's GPU clusters, the `cluster_log.csv` of each.

#include <algorithm>

#include "workloads/trace/csv_row_reader.hpp"
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

class HeliosReader final : public CsvRowReader {
public:
    HeliosReader(TextBlocks text, const TraceOptions& options)
        : CsvRowReader(std::move(text), options, {}, columns()) {}

private:
    Row read_row(TraceJob& job) override {
        job.name = need_text(job_id, "the job's name");
        job.user = rows_.text(user);
        job.queue = rows_.text(vc);
        job.members = std::max<std::int64_t>(rows_.amount(node_num, member_count).value_or(1), 1);
        job.gpus.count = per_member(rows_.need_amount(gpu_num, gpu_count), job.members);
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
        job.cpu_milli = per_member(rows_.amount(cpu_num, cpu_in_cores).value_or(0), job.members);
        read_status(state, &status_of_slurm_state, "unknown state", slurm_states, job);
        job.submit = date(submit_time);
        job.start = date(start_time);
        job.finish = date(end_time);
        job.run_time = missing(rows_.text(duration)) ? std::nullopt : rows_.seconds(duration);
        check_order(job, end_time);
        clock_.set_to_zero(job);
        return Row::job;
    }

    static bool missing(std::string_view cell) {
        return cell.empty() || cell == "None" || cell == "NaT" || cell == "nan";
    }

    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column) const {
        return CsvRowReader::date(column, &missing, "YYYY-MM-DD HH:MM:SS");
    }

    TraceClock clock_;
};

}  // namespace

std::unique_ptr<TraceReader> make_helios_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<HeliosReader>(std::move(text), options);
}

}  // namespace berth::workloads
