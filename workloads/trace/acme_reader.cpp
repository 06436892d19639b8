/// acme: Shanghai AI Lab's clusters for large language models, the `trace_seren.csv` and
/// `trace_kalos.csv` of AcmeTrace (Hu et al., NSDI 2024).

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
    type,
    node_num,
    gpu_num,
    cpu_num,
    mem_per_pod,
    state,
    submit_time,
    start_time,
    end_time,
    duration,
};

std::vector<core::CsvColumn> columns() {
    return {{"job_id"},
            {"user", false},
            {"type", false},
            {"node_num", false},
            {"gpu_num"},
            {"cpu_num", false},
            {"mem_per_pod_GB", false},
            {"state", false},
            {"submit_time"},
            {"start_time", false},
            {"end_time", false},
            {"duration", false}};
}

constexpr AmountUnit memory_in_gb{
    1'000'000'000, memory_bytes_max, "GB of memory, at most 1152921504"};

class AcmeReader final : public RowReader {
public:
    AcmeReader(TextBlocks text, const TraceOptions& options)
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
        job.queue = rows_.text(type);
        read_amounts(job);
        job.status = log_.status(state);
        job.submit = log_.date(submit_time);
        job.start = log_.date(start_time);
        job.finish = log_.date(end_time);
        log_.check_times(job, end_time);
        // The duration of Kalos counts the time in the queue too, so it is the last resort.
        if ((!job.start || !job.finish) && !log_.missing(duration)) {
            job.run_time = rows_.seconds(duration);
        }
        clock_.set_to_zero(job);
        return Row::job;
    }

    void read_amounts(TraceJob& job) {
        job.members = std::max<std::int64_t>(rows_.amount(node_num, member_count).value_or(1), 1);
        job.gpus.count = ClusterLog::per_member(rows_.need_amount(gpu_num, gpu_count), job.members);
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
        job.cpu_milli =
            ClusterLog::per_member(rows_.amount(cpu_num, cpu_in_cores).value_or(0), job.members);
        if (!log_.missing(mem_per_pod)) {
            job.memory_bytes = rows_.amount(mem_per_pod, memory_in_gb).value_or(0);
        }
    }

    CsvRows rows_;
    ClusterLog log_{rows_};
    TraceClock clock_;
};

}  // namespace

std::unique_ptr<TraceReader> make_acme_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<AcmeReader>(std::move(text), options);
}

}  // namespace berth::workloads
