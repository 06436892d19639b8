#include "experiments/config/read_typical_pods.hpp"

#include "core/resources.hpp"
#include "experiments/config/trace_origin.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr std::int64_t percent_unless_stated = 95;

void count(workloads::TraceReader& reader, core::TypicalPodCounter& counter) {
    workloads::TraceJob job;
    while (reader.next(job)) {
        counter.add(job.cpu_milli, job.gpus, job.members);
    }
}

/// A share of all pods, in hundredths: `0.95`.
std::int64_t read_threshold(const Value* value, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return percent_unless_stated;
    }
    const auto parsed = core::parse_quantity(value->text, 100);
    const auto* percent = std::get_if<core::Amount>(&parsed);
    if (percent == nullptr || *percent == 0 || *percent > 100) {
        expected(*value, "hundredths such as 0.95, above 0 and at most 1", diagnostics);
        return percent_unless_stated;
    }
    return *percent;
}

}  // namespace

std::shared_ptr<const core::TypicalPods> read_typical_pods(
    const Value* value, const std::vector<WorkloadSource>& workload, Diagnostics& diagnostics) {
    const Value nothing{Value::Kind::map, {}, {}, {}, {}};
    MapReader map(value != nullptr ? *value : nothing, "typicalPods", diagnostics);
    const std::int64_t percent = read_threshold(map.take("threshold"), diagnostics);
    const bool names_file = map.take("file") != nullptr;
    const TraceOrigin origin = names_file ? read_trace_origin(map) : TraceOrigin{};
    map.report_unknown_keys();
    if (diagnostics.failed()) {
        return nullptr;
    }
    core::TypicalPodCounter counter;
    if (names_file) {
        count(*open(origin), counter);
    }
    for (const WorkloadSource& source : workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file != nullptr && !names_file) {
            count(*file->trace.open(), counter);
        }
    }
    auto typical = std::make_shared<const core::TypicalPods>(counter.typical(percent));
    return typical->pods.empty() ? nullptr : typical;
}

}  // namespace berth::experiments
