#include "experiments/program/config/workload/counted_gpus.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/tree/device_names.hpp"

namespace berth::experiments {
namespace {

using core::Amount;

constexpr std::string_view gpu_kind = "gpu";

Amount described_gpus(const core::MachineType& type) {
    Amount count = 0;
    for (const core::DeviceGroup& group : type.devices) {
        count += group.kind == gpu_kind ? group.count : 0;
    }
    return count;
}

/// What is wrong with so many thousandths of GPUs that nothing else tells of; or "".
std::string fault_of(Amount milli) {
    const Amount gpus = milli / core::gpu_whole_milli;
    if (milli % core::gpu_whole_milli != 0) {
        return fmt::format(
            "has {}m nvidia.com/gpu: expected a whole number of GPUs where they are "
            "given out one by one",
            milli);
    }
    if (gpus > static_cast<Amount>(core::devices_of_type_max)) {
        return fmt::format("has {} GPUs: expected at most {} where they are given out one by one",
                           gpus,
                           core::devices_of_type_max);
    }
    return "";
}

}  // namespace

core::Topology with_counted_gpus(core::Topology tree,
                                 const core::SourceSpan& span,
                                 core::Diagnostics& diagnostics) {
    const auto gpu = tree.resources().find(core::device_resource::nvidia_gpu);
    if (!gpu) {
        return tree;
    }
    std::vector<core::MachineType> types = tree.machine_types();
    for (core::MachineType& type : types) {
        const Amount milli = type.capacity(static_cast<Eigen::Index>(*gpu));
        const Amount described = described_gpus(type);
        const std::string fault = described == 0 ? fault_of(milli) : "";
        if (!fault.empty()) {
            diagnostics.error(span, fmt::format("machine type '{}' {}", type.name, fault));
        } else if (described > 0 && milli > described * core::gpu_whole_milli) {
            diagnostics.warning(
                span,
                fmt::format("machine type '{}' counts {} GPUs and describes {}: pods get no more "
                            "than it describes",
                            type.name,
                            tree.resources().format(*gpu, milli),
                            described));
        } else if (described == 0 && milli > 0 && type.device_object == nullptr) {
            core::DeviceGroup& gpus = type.devices.emplace_back();
            gpus.kind = gpu_kind;
            gpus.count = milli / core::gpu_whole_milli;
        }
    }
    std::vector<std::uint32_t> of_server;
    of_server.reserve(tree.server_count());
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        of_server.push_back(tree.machine_type_index(core::ServerId{server}));
    }
    return core::TopologyBuilder::with_machine_types(
        std::move(tree), std::move(types), std::move(of_server));
}

}  // namespace berth::experiments
