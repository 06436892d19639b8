/// helios: SenseTime's GPU clusters, the `cluster_log.csv` of each.

#include "workloads/trace/cluster_log.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace helios {

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
        job.queue = rows_.text(vc);
        job.run_time = log_.missing(duration) ? std::nullopt : rows_.seconds(duration);
        clock_.set_to_zero(job);
        return Row::job;
    }

    CsvRows rows_;
    ClusterLog log_{
        rows_,
        {job_id, user, node_num, gpu_num, cpu_num, state, submit_time, start_time, end_time}};
    TraceClock clock_;
};

}  // namespace helios

std::unique_ptr<TraceReader> make_helios_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<helios::HeliosReader>(std::move(text), options);
}

}  // namespace berth::workloads
