/// Traces, with one target for each format.

#include <sstream>
#include <string>

#include "core/support/assert.hpp"
#include "experiments/program/commands/workload_check.hpp"
#include "fuzz/target.hpp"
#include "workloads/trace/guess_format.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/speed_table.hpp"
#include "workloads/trace/trace_doctor.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::tests {
namespace {

/// Checks what must hold for every job that a reader delivers, however wrong its trace was.
void check(const workloads::TraceJob& job) {
    BERTH_ASSERT(job.members >= 1 && job.members <= workloads::members_max, "members are counted");
    BERTH_ASSERT(job.members_min >= 0 && job.members_min <= job.members,
                 "so many may start are some of all");
    BERTH_ASSERT(
        !job.topology.label == (job.topology.asks == workloads::TraceTopology::Asks::nothing ||
                                job.topology.asks == workloads::TraceTopology::Asks::anywhere),
        "a level has a label");
    BERTH_ASSERT(job.cpu_milli >= 0 && job.memory_bytes >= 0, "no amount is negative");
    BERTH_ASSERT(job.gpus.count >= 0 && (job.gpus.count == 0) == (job.gpus.milli == 0),
                 "a GPU request has both or none");
    BERTH_ASSERT(job.gpus.count <= 1 || job.gpus.milli == core::gpu_whole_milli,
                 "several GPUs are whole");
    BERTH_ASSERT(!job.start || !job.finish || *job.start <= *job.finish,
                 "a job starts before it ends");
    BERTH_ASSERT(!job.duration() || job.duration()->count() >= 0, "a job's length is none below 0");
}

std::unique_ptr<workloads::TraceReader> open(std::string_view format,
                                             std::string_view bytes,
                                             bool lenient) {
    for (const workloads::TraceFormat& entry : workloads::trace_formats()) {
        if (entry.name == format) {
            return entry.make(
                std::make_unique<std::istringstream>(std::string(bytes)), "fuzz", {lenient, {}});
        }
    }
    throw std::logic_error("no such format");
}

/// Reads a trace to its end, strictly and leniently; then lets the doctor check it, and a workload
/// submit its jobs.
void read_trace(std::string_view format, std::string_view bytes) {
    (void)workloads::guess_trace(bytes);
    for (const bool lenient : {false, true}) {
        reads([&] {
            const auto reader = open(format, bytes, lenient);
            workloads::TraceJob job;
            while (reader->next(job)) {
                check(job);
            }
        });
    }
    reads([&] {
        const auto report = workloads::examine(*open(format, bytes, true), nullptr);
        (void)experiments::trace_check_text("fuzz", report);
    });
    const auto& folder = fresh_folder();
    write_input(folder / "trace", bytes);
    write_input(folder / "workload.yaml",
                "apiVersion: berth/v1\nkind: Workload\nspec:\n  sources:\n    - trace: {format: " +
                    std::string(format) + ", file: trace, lenient: true}\n");
    runs("workload", {(folder / "workload.yaml").string(), "--format", "jsonl"});
}

}  // namespace

#define BERTH_TRACE_FORMAT(function, name, summary, marks, objects) \
    void fuzz_trace_##function(std::string_view bytes) {            \
        read_trace(name, bytes);                                    \
    }
#include "workloads/trace/trace_formats.def"
#undef BERTH_TRACE_FORMAT

void fuzz_trace_kueue(std::string_view bytes) {
    read_trace("kueue", bytes);
}

void fuzz_speeds(std::string_view bytes) {
    reads([&] {
        workloads::SpeedTable table = workloads::read_speed_table(std::string(bytes), "fuzz");
        table.interpolates = true;
        std::string lack;
        for (const auto& [model, speeds] : table.models) {
            for (const auto& [key, speed] : speeds->rows()) {
                (void)table.speeds_of(model, key.gpus + 1, {key.batch_size}, lack);
            }
        }
    });
}

}  // namespace berth::tests
