/// openb: the pod lists of Alibaba's GPU sharing trace (cluster-trace-gpu-v2023).

#include <algorithm>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/gpu_models.hpp"
#include "workloads/trace/pod_amounts.hpp"
#include "workloads/trace/row_reader.hpp"

namespace berth::workloads {
namespace openb {

enum Column : std::size_t {
    name,
    cpu_milli,
    memory_mib,
    num_gpu,
    gpu_milli,
    gpu_spec,
    pod_phase,
    creation_time,
    deletion_time,
    scheduled_time,
};

std::vector<core::CsvColumn> columns() {
    return {{"name"},
            {"cpu_milli"},
            {"memory_mib"},
            {"num_gpu"},
            {"gpu_milli"},
            {"gpu_spec", false},
            {"pod_phase", false},
            {"creation_time", false},
            {"deletion_time", false},
            {"scheduled_time", false}};
}

class OpenbReader final : public RowReader {
public:
    OpenbReader(TextBlocks text, const TraceOptions& options)
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
        job.name = rows_.text(name);
        if (job.name.empty()) {
            rows_.fail(name, "empty", "the pod's name");
        }
        job.cpu_milli = rows_.need_amount(cpu_milli, cpu_in_milli);
        job.memory_bytes = rows_.need_amount(memory_mib, memory_in_mib);
        read_gpus(job.gpus);
        read_times(job);
        return Row::job;
    }

    void read_gpus(core::GpuRequest& gpus) {
        gpus.count = rows_.need_amount(num_gpu, gpu_count);
        const core::Amount milli = rows_.need_amount(gpu_milli, gpu_in_milli);
        if (gpus.count == 0) {
            return;
        }
        gpus.milli = std::min(milli, core::gpu_whole_milli);
        if (gpus.milli == 0) {
            rows_.fail(gpu_milli, "none", "a share of one device, or whole devices");
        }
        if (gpus.count > 1 && gpus.milli < core::gpu_whole_milli) {
            rows_.fail(gpu_milli,
                       "a share of several devices",
                       "a share of one device, or whole devices: 1000");
        }
        split_models(rows_.text(gpu_spec), gpus.models);
    }

    void read_times(TraceJob& job) {
        job.submit = rows_.instant(creation_time);
        job.start = rows_.instant(scheduled_time);
        job.finish = rows_.instant(deletion_time);
        if (job.start && job.finish && *job.finish < *job.start) {
            rows_.fail(deletion_time, "ends before it starts: expected no earlier deletion_time");
        }
        const std::string_view phase = rows_.text(pod_phase);
        if (!phase.empty()) {
            const auto status = status_of_phase(phase);
            if (!status) {
                rows_.fail(pod_phase, "unknown phase", pod_phases);
            }
            job.status = *status;
        }
    }

    CsvRows rows_;
};

}  // namespace openb

std::unique_ptr<TraceReader> make_openb_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<openb::OpenbReader>(std::move(text), options);
}

}  // namespace berth::workloads
