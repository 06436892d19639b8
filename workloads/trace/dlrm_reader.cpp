/// dlrm: instances of recommendation models, Alibaba's cluster-trace-gpu-v2025.

#include "workloads/trace/csv_row_reader.hpp"

namespace berth::workloads {
namespace {

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

class DlrmReader final : public CsvRowReader {
public:
    DlrmReader(TextBlocks text, const TraceOptions& options)
        : CsvRowReader(std::move(text), options, {}, columns()) {}

private:
    Row read_row(TraceJob& job) override {
        job.name = need_text(instance_sn, "the instance's name");
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
        check_order(job, deletion_time);
        job.status = job.finish ? TraceStatus::unknown : TraceStatus::running;
        return Row::job;
    }
};

}  // namespace

std::unique_ptr<TraceReader> make_dlrm_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<DlrmReader>(std::move(text), options);
}

}  // namespace berth::workloads
