#include "core/gpu_shares/gpu_models.hpp"

#include <algorithm>

namespace berth::core {

GpuModels::GpuModels(const Topology& topology) {
    for (const MachineType& type : topology.machine_types()) {
        std::string model;
        std::uint32_t count = 0;
        for (const DeviceGroup& group : type.devices) {
            if (group.kind == "gpu") {
                model = count == 0 ? group.model : model;
                count += static_cast<std::uint32_t>(group.count);
            }
        }
        const auto known = std::ranges::find(names_, model);
        of_type_.push_back(static_cast<std::uint32_t>(known - names_.begin()));
        devices_.push_back(count);
        islands_.push_back(gpu_islands(type));
        if (known == names_.end()) {
            names_.push_back(std::move(model));
        }
    }
}

std::vector<char> GpuModels::accepted(const GpuRequest& request) const {
    std::vector<char> out;
    for (const std::string& name : names_) {
        out.push_back(request.models.empty() ||
                              std::ranges::find(request.models, name) != request.models.end()
                          ? 1
                          : 0);
    }
    return out;
}

}  // namespace berth::core
