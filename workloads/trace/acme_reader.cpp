/// acme: Shanghai AI Lab's clusters for large language models, the `trace_seren.csv` and
/// `trace_kalos.csv` of AcmeTrace (Hu et al., NSDI 2024).

#include "workloads/trace/cluster_log.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace acme {

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
        : RowReader(options, text.beyond_ascii()), rows_(std::move(text), {}, columns()) {
        note(rows_.separator_notes());
        note(rows_.near_misses());
    }

private:
    Row read(TraceJob& job) override {
        if (!rows_.next()) {
            return Row::end;
        }
        begin_row(rows_.line());
        log_.read(job);
        job.queue = rows_.text(type);
        if (!log_.missing(mem_per_pod)) {
            job.memory_bytes = rows_.amount(mem_per_pod, memory_in_gb).value_or(0);
        }
        // The duration of Kalos includes the time in the queue, so it is the last resort.
        if ((!job.start || !job.finish) && !log_.missing(duration)) {
            job.run_time = rows_.seconds(duration);
        }
        clock_.set_to_zero(job);
        return Row::job;
    }

    CsvRows rows_;
    ClusterLog log_{
        rows_,
        {job_id, user, node_num, gpu_num, cpu_num, state, submit_time, start_time, end_time}};
    TraceClock clock_;
};

}  // namespace acme

std::unique_ptr<TraceReader> make_acme_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<acme::AcmeReader>(std::move(text), options);
}

}  // namespace berth::workloads
