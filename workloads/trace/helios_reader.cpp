/// helios: SenseTime's GPU clusters, the `cluster_log.csv` of each.

#include <algorithm>

#include "workloads/trace/cluster_log.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
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
        job.gpus.count = ClusterLog::per_member(rows_.need_amount(gpu_num, gpu_count), job.members);
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
        job.cpu_milli =
            ClusterLog::per_member(rows_.amount(cpu_num, cpu_in_cores).value_or(0), job.members);
        job.status = log_.status(state);
        job.submit = log_.date(submit_time);
        job.start = log_.date(start_time);
        job.finish = log_.date(end_time);
        job.run_time = log_.missing(duration) ? std::nullopt : rows_.seconds(duration);
        log_.check_times(job, end_time);
        clock_.set_to_zero(job);
        return Row::job;
    }

    CsvRows rows_;
    ClusterLog log_{rows_};
    TraceClock clock_;
};

}  // namespace

std::unique_ptr<TraceReader> make_helios_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<HeliosReader>(std::move(text), options);
}

}  // namespace berth::workloads
