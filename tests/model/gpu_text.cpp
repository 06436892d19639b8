#include "tests/model/gpu_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::tests {

std::string devices_text(const core::DeviceGroup& gpus) {
    if (gpus.count == 0) {
        return "";
    }
    std::string out =
        fmt::format(", devices: {{gpu: {{count: {}, model: {}", gpus.count, gpus.model);
    if (!gpus.numa.empty()) {
        out += fmt::format(", numa: [{}]", fmt::join(gpus.numa, ", "));
    }
    if (!gpus.nvlink.empty()) {
        out += fmt::format(", nvlink: {}", gpus.nvlink);
    }
    return out + "}}";
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
    return out + "      reserve: [gpu-sharing]\n";
}

}  // namespace berth::tests
