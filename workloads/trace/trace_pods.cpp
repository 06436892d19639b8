#include "workloads/trace/trace_pods.hpp"

#include "core/device_allocator/device_names.hpp"

namespace berth::workloads {

TracePods::TracePods(const core::ResourceSchema& resources, TraceQuota quota)
    : size_(resources.size()),
      cpu_(resources.find("cpu")),
      memory_(resources.find("memory")),
      gpu_(resources.find(core::device_resource::nvidia_gpu)),
      rdma_(resources.find(core::device_resource::rdma)),
      quota_(quota) {}

sim::Job TracePods::job_of(const TraceJob& from) {
    sim::Job job;
    job.name = from.name;
    job.user = from.user;
    job.quota = quota_ == TraceQuota::queue  ? from.queue
                : quota_ == TraceQuota::user ? from.user
                                             : std::string();
    job.priority = from.priority;
    job.application = from.application;
    job.per_server_max = from.per_server_max;
    job.estimate = from.time_limit;
    job.group = from.members > 1;
    job.size = from.members;
    job.min_available = from.members;
    job.demand.resize(size_);
    const auto ask = [&](const std::optional<std::size_t>& resource, core::Amount amount) {
        if (resource) {
            job.demand[*resource] = amount;
        }
    };
    ask(cpu_, from.cpu_milli);
    ask(memory_, from.memory_bytes);
    ask(gpu_, from.gpus.total_milli());
    ask(rdma_, from.rdma_percent);
    if (from.gpus.total_milli() > 0) {
        auto& shared = requests_[from.gpus];
        if (shared == nullptr) {
            shared = std::make_shared<const core::GpuRequest>(from.gpus);
        }
        job.gpus = shared;
    }
    return job;
}

}  // namespace berth::workloads
