/// dlrm: instances of recommendation models, Alibaba's cluster-trace-gpu-v2025.

#include <array>

#include "workloads/trace/column_fields.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {
namespace dlrm {

enum Column : std::size_t {
    instance_sn,
    app_name,
    cpu_request,
    gpu_request,
    rdma_request,
    memory_request,
    max_instance_per_node,
    creation_time,
    scheduled_time,
    deletion_time,
};

std::vector<core::CsvColumn> columns() {
    return {{"instance_sn"},
            {"app_name"},
            {"cpu_request"},
            {"gpu_request"},
            {"rdma_request"},
            {"memory_request"},
            {"max_instance_per_node"},
            {"creation_time"},
            {"scheduled_time"},
            {"deletion_time"}};
}

constexpr auto fields = std::to_array<UnmodelledField>({{"disk_request"}});

class DlrmReader final : public RowReader {
public:
    DlrmReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          rows_(std::move(text), {}, columns()),
          columns_(fields, rows_) {
        note(rows_.separator_notes());
        note(rows_.near_misses());
    }

private:
    Row read(TraceJob& job) override {
        if (!rows_.next()) {
            return Row::end;
        }
        begin_row(rows_.line());
        job.name = rows_.text(instance_sn);
        if (job.name.empty()) {
            rows_.fail(instance_sn, "empty", "the instance's name");
        }
        job.application = rows_.text(app_name);
        job.cpu_milli = rows_.need_amount(cpu_request, cpu_in_cores);
        job.memory_bytes = rows_.need_amount(memory_request, memory_in_gib);
        job.gpus.count = rows_.need_amount(gpu_request, gpu_count);
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
        job.rdma_percent = rows_.amount(rdma_request, nic_percent).value_or(0);
        constexpr AmountUnit instances{1, members_max, "instances on a node, or -1", true};
        if (rows_.text(max_instance_per_node) != "-1") {
            job.per_server_max = rows_.amount(max_instance_per_node, instances).value_or(0);
        }
        job.submit = rows_.instant(creation_time);
        job.start = rows_.instant(scheduled_time);
        job.finish = rows_.instant(deletion_time);
        if (job.start && job.finish && *job.finish < *job.start) {
            rows_.fail(deletion_time, "ends before it starts: expected no earlier deletion_time");
        }
        job.status = job.finish ? TraceStatus::unknown : TraceStatus::running;
        columns_.find(rows_, found());
        return Row::job;
    }

    CsvRows rows_;
    ColumnFields columns_;
};

}  // namespace dlrm

std::unique_ptr<TraceReader> make_dlrm_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<dlrm::DlrmReader>(std::move(text), options);
}

}  // namespace berth::workloads
