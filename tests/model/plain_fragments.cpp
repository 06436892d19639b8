#include "tests/model/plain_fragments.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "tests/model/plain_gpus.hpp"

namespace berth::tests {

using core::Amount;

std::vector<PlainTypicalPod> typical_pods(const std::vector<sim::Job>& jobs, std::int64_t percent) {
    using Kind = std::tuple<Amount, Amount, std::int64_t, std::string>;
    std::map<Kind, std::pair<std::int64_t, PlainTypicalPod>> kinds;
    std::int64_t all = 0;
    for (const sim::Job& job : jobs) {
        const core::GpuRequest gpus = gpus_asked(job);
        std::string models;
        for (const std::string& model : gpus.models) {
            models += (models.empty() ? "" : "|") + model;
        }
        auto& [count, pod] = kinds[{job.demand[0], gpus.milli, gpus.count, models}];
        count += job.size;
        pod = {job.demand[0], gpus, 0};
        all += job.size;
    }
    std::vector<std::tuple<std::int64_t, Kind, PlainTypicalPod>> order;
    for (const auto& [kind, counted] : kinds) {
        order.emplace_back(counted.first, kind, counted.second);
    }
    std::ranges::sort(order, std::greater(), [](const auto& entry) {
        return std::pair(std::get<0>(entry), std::get<1>(entry));
    });
    std::vector<PlainTypicalPod> typical;
    std::int64_t together = 0;
    for (auto& [count, kind, pod] : order) {
        if (together * 100 < percent * all) {
            together += count;
            pod.weight = static_cast<double>(count) / static_cast<double>(all);
            typical.push_back(std::move(pod));
        }
    }
    const double part = static_cast<double>(together) / static_cast<double>(all);
    for (PlainTypicalPod& pod : typical) {
        pod.weight = typical.size() < order.size() ? pod.weight / part : pod.weight;
    }
    return typical;
}

std::array<double, 7> fragment_classes(const std::vector<PlainTypicalPod>& typical,
                                       const std::vector<Amount>& free,
                                       Amount cpu_free,
                                       const std::string& model) {
    enum { lack_both, lack_gpu, satisfied, lack_cpu, without_gpu, without_gpu_lack_cpu, refused };
    std::array<double, 7> classes{};
    for (const PlainTypicalPod& pod : typical) {
        Amount all = 0;
        Amount too_small = 0;
        std::int64_t devices = 0;
        for (const Amount device : free) {
            all += device;
            too_small += device < pod.gpus.milli ? device : 0;
            devices += device >= pod.gpus.milli ? 1 : 0;
        }
        const auto add = [&](std::size_t to, Amount amount) {
            classes[to] += pod.weight * static_cast<double>(amount);
        };
        const bool cpu = cpu_free >= pod.cpu;
        const bool gpus = devices >= pod.gpus.count;
        const std::vector<std::string>& models = pod.gpus.models;
        if (pod.gpus.count == 0) {
            add(cpu ? without_gpu : without_gpu_lack_cpu, all);
        } else if (!models.empty() && std::ranges::count(models, model) == 0) {
            add(refused, all);
        } else if (gpus && cpu) {
            add(lack_gpu, too_small);
            add(satisfied, all - too_small);
        } else {
            add(gpus ? lack_cpu : cpu ? lack_gpu : lack_both, all);
        }
    }
    return classes;
}

double fragment(const std::vector<PlainTypicalPod>& typical,
                const std::vector<Amount>& free,
                Amount cpu_free,
                const std::string& model) {
    constexpr std::size_t satisfied = 2;
    const std::array<double, 7> classes = fragment_classes(typical, free, cpu_free, model);
    double sum = 0;
    for (std::size_t part = 0; part < classes.size(); ++part) {
        sum += part != satisfied ? classes[part] : 0;
    }
    return sum;
}

}  // namespace berth::tests
