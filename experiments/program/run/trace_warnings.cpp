#include "experiments/program/run/trace_warnings.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <variant>

#include "workloads/trace/trace_doctor.hpp"

namespace berth::experiments {
namespace {

constexpr std::uintmax_t bytes_max = std::uintmax_t{64} << 20U;

bool matters(const workloads::TraceFinding& finding, const workloads::TracePlan& plan) {
    return !finding.harmless &&
           !(finding.of_times && plan.times == workloads::TraceTimes::ignored) &&
           !(finding.name == "group_too_large" && !plan.gangs);
}

}  // namespace

std::vector<std::string> trace_warnings(const ExperimentSpec& spec) {
    std::vector<std::string> warnings;
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file == nullptr) {
            continue;
        }
        std::error_code ignored;
        if (const auto bytes = std::filesystem::file_size(file->file, ignored);
            !ignored && bytes > bytes_max) {
            warnings.push_back(
                fmt::format("{}: {} is larger than 64 MiB and was not looked through: berth "
                            "workload {} --check does it",
                            source.name,
                            file->file,
                            file->file));
            continue;
        }
        const workloads::Trace& trace = file->trace;
        const workloads::TraceReport report =
            trace.report != nullptr
                ? *trace.report
                : workloads::examine(*trace.open(), spec.topology.get(), trace.plan.times);
        for (const workloads::TraceFinding& finding : report.findings) {
            if (matters(finding, trace.plan)) {
                warnings.push_back(finding.count > 0
                                       ? fmt::format("{}: {}: the first is '{}', line {}",
                                                     source.name,
                                                     finding.text,
                                                     finding.first,
                                                     finding.line)
                                       : fmt::format("{}: {}", source.name, finding.text));
            }
        }
    }
    return warnings;
}

}  // namespace berth::experiments
