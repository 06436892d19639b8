#include "tests/model/gpu_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace berth::tests {

std::string devices_text(const PlainTree& tree, std::size_t type) {
    std::string out;
    for (const std::vector<core::DeviceGroup>* of : {&tree.gpus, &tree.nics}) {
        if (type >= of->size() || (*of)[type].count == 0) {
            continue;
        }
        const core::DeviceGroup& group = (*of)[type];
        out += fmt::format("{}{}: {{count: {}", out.empty() ? "" : ", ", group.kind, group.count);
        out += group.model.empty() ? "" : ", model: " + group.model;
        out += group.numa.empty() ? "" : fmt::format(", numa: {}", group.numa);
        out += group.pcie.empty() ? "" : fmt::format(", pcie: {}", group.pcie);
        out += group.nvlink.empty() ? "" : fmt::format(", nvlink: {}", group.nvlink);
        if (group.virtual_functions > 0) {
            out += fmt::format(", vfs: {}", group.virtual_functions);
        }
        std::vector<std::string> traits;
        for (const std::vector<std::string>& of_device : group.traits) {
            traits.push_back(fmt::format("[{}]", fmt::join(of_device, ", ")));
        }
        out += traits.empty() ? "" : fmt::format(", traits: [{}]", fmt::join(traits, ", "));
        out += "}";
    }
    return out.empty() ? "" : ", devices: {" + out + "}";
}

std::string models_text(const sim::Job& job) {
    return job.gpus != nullptr && !job.gpus->models.empty()
               ? fmt::format("    # {}: accepts GPUs of the models {}\n",
                             job.name,
                             fmt::join(job.gpus->models, ", "))
               : "";
}

std::string sharing_text(const sim::GpuPlugin& plugin) {
    std::string out;
    if (!plugin.policy.empty()) {
        out = fmt::format("      score: [{{name: {}", plugin.policy);
        std::string gangs;
        for (const core::TypicalGang& gang : plugin.gangs) {
            gangs += fmt::format("{}{}: {}", gangs.empty() ? "" : ", ", gang.gpus, gang.weight);
        }
        out += gangs.empty() ? "}]\n" : fmt::format(", gangs: {{{}}}}}]\n", gangs);
    }
    return out +
           (plugin.ties_at_random
                ? fmt::format(
                      "      # seed {}\n      reserve: [{{name: gpu-sharing, ties: random}}]\n",
                      plugin.seed)
                : "      reserve: [gpu-sharing]\n");
}

std::string allocator_text(const sim::DevicePlugin& plugin) {
    const std::string score =
        plugin.weight > 0 ? fmt::format("      score: [{}]\n", plugin.allocator) : "";
    return score + fmt::format("      reserve: [{{name: {}{}}}]\n",
                               plugin.allocator,
                               plugin.rules.exact ? ", solver: exact" : "");
}

}  // namespace berth::tests
