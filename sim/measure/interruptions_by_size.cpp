#include "sim/measure/interruptions_by_size.hpp"

#include <bit>

#include "core/support/assert.hpp"
#include "core/tree/gpu_resource.hpp"
#include "sim/measure/gpu_time_ledger.hpp"

namespace berth::sim {

InterruptionsBySize::InterruptionsBySize(const core::Topology& tree) {
    if (GpuTimeLedger::has_gpus(tree)) {
        gpu_ = core::gpu_resource(tree);
        per_gpu_ = tree.resources().per_unit(*gpu_);
    }
}

std::int64_t InterruptionsBySize::size_of(const Job& job) const {
    return gpu_ ? (job.demand[*gpu_] * job.size + per_gpu_ - 1) / per_gpu_ : job.size;
}

void InterruptionsBySize::add(const JobRecord& record, SimTime ran) {
    const std::int64_t size = size_of(record.job);
    BERTH_ASSERT(size >= 0, "nobody asks for less than nothing");
    const std::int64_t most =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
    Sum& sum = sums_[size == 0 ? 0 : most];
    ++sum.jobs;
    sum.interruptions += record.evictions[static_cast<std::size_t>(EvictionCause::node_failed)];
    sum.running += ran.count();
    sum.size_running += Wide{ran.count()} * size;
}

std::vector<InterruptionsOfSize> InterruptionsBySize::result() const {
    constexpr double per_second = 1e9;
    std::vector<InterruptionsOfSize> out;
    for (const auto& [most, sum] : sums_) {
        out.push_back({gpu_.has_value(),
                       most < 2 ? most : most / 2 + 1,
                       most,
                       sum.jobs,
                       sum.interruptions,
                       static_cast<double>(sum.running) / per_second,
                       static_cast<double>(sum.size_running) / per_second});
    }
    return out;
}

}  // namespace berth::sim
