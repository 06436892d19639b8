#include "tests/model/plain_gpu_metrics.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "tests/model/plain_fragments.hpp"
#include "tests/model/plain_gpus.hpp"

namespace berth::tests {

std::array<double, 7> free_gpus(const PlainCluster& cluster) {
    std::array<double, 7> parts{};
    for (std::uint32_t server = 0; server < cluster.free.size(); ++server) {
        if (cluster.up[server]) {
            const core::MachineType& type = cluster.tree->machine_type(core::ServerId{server});
            const std::array<double, 7> here = fragment_classes(cluster.sharing->typical,
                                                                cluster.gpus.free(server),
                                                                cluster.free[server][0],
                                                                model_of(type));
            std::ranges::transform(parts, here, parts.begin(), std::plus());
        }
    }
    return parts;
}

void add_gpu_metrics(const PlainRun& run,
                     const PlainCase& of,
                     std::map<std::string, double>& metrics) {
    const PlainCluster& cluster = run.cluster();
    double all = 0;  // capacity at the beginning
    double allocated = 0;
    for (std::uint32_t server = 0; server < cluster.free.size(); ++server) {
        const auto capacity = static_cast<double>(cluster.capacity(server, gpu_resource));
        const bool absent = std::ranges::count(of.settings.absent, core::ServerId{server}) > 0;
        all += absent ? 0 : capacity;
        const auto free = static_cast<double>(cluster.free[server][gpu_resource]);
        allocated += cluster.up[server] ? capacity - free : 0;
    }
    const std::array<double, 7> parts = free_gpus(cluster);
    const double idle = std::accumulate(parts.begin(), parts.end(), 0.0);
    const auto percent = [](double part, double whole) {
        return whole > 0 ? 100 * part / whole : 0;
    };
    double arrived = 0;
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        arrived += static_cast<double>(of.jobs[i].demand[gpu_resource] * of.jobs[i].size);
    }
    constexpr std::size_t satisfied = 2;
    metrics["gpu_arrived_pct"] = percent(arrived, all);
    metrics["gpu_allocated_pct"] = percent(allocated, all);
    if (cluster.sharing->typical.empty()) {
        return;
    }
    metrics["frag_pct_of_total"] = percent(idle - parts[satisfied], all);
    metrics["frag_ratio_pct_of_idle"] = percent(idle - parts[satisfied], idle);
    metrics["frag_ratio_pct_of_idle_mean"] = percent(run.fragment_seconds, run.idle_seconds);
    constexpr std::array names{"q1_lack_both",
                               "q2_lack_gpu",
                               "q3_satisfied",
                               "q4_lack_cpu",
                               "xl_satisfied",
                               "xr_lack_cpu",
                               "no_access"};
    for (std::size_t part = 0; part < parts.size(); ++part) {
        metrics[std::string(names[part]) + "_pct_of_total"] = percent(parts[part], all);
    }
}

}  // namespace berth::tests
