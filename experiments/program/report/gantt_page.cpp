#include "experiments/program/report/gantt_page.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/pod_size.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace {

using Column = std::vector<std::int64_t>;

/// A power of ten in seconds, small enough that the length of the run has eight digits.
double tick_of(double span_s) {
    if (span_s <= 0) {
        return 1;
    }
    constexpr int digits = 8;
    const int exponent = decimal_exponent(span_s);
    const bool more = span_s > power_of_ten(exponent);
    return power_of_ten(exponent + (more ? 1 : 0) - digits);
}

/// Chooses servers in the order of the tree, with all their pods, as long as these fit. Returns the
/// number of each cell's server, or -1 if it is not shown.
std::vector<std::int64_t> choose_servers(const Cluster& cluster, std::size_t pods_max) {
    std::vector<std::size_t> counts(cluster.cells.size());
    for (const PodRow& pod : cluster.pods) {
        ++counts[pod.node];
    }
    std::vector<std::int64_t> numbers(cluster.cells.size(), -1);
    std::int64_t next = 0;
    std::size_t shown = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
        if (shown + counts[cell] > pods_max && next > 0) {
            break;
        }
        if (counts[cell] > 0) {
            numbers[cell] = next++;
            shown += counts[cell];
        }
    }
    return numbers;
}

/// The names of the nodes above a cell, joined by slashes.
std::string place_of(const Cluster& cluster, const Cell& cell) {
    std::string place;
    std::uint32_t domain = cell.parent;
    for (std::size_t level = cluster.levels.size(); level-- > 0;) {
        const Domain& at = cluster.domains[level][domain];
        place = place.empty() ? at.name : at.name + "/" + place;
        domain = at.parent;
    }
    return place;
}

/// The number of GPUs of each server: that of its machine type, or as many as were ever seen in
/// use.
std::vector<std::int64_t> gpus_of(const Cluster& cluster, const Devices* devices) {
    std::vector<std::int64_t> gpus(cluster.cells.size());
    for (const PodRow& pod : cluster.pods) {
        gpus[pod.node] =
            std::max(gpus[pod.node], static_cast<std::int64_t>(std::bit_width(pod.gpus)));
    }
    if (devices != nullptr) {
        std::map<std::string, std::size_t, std::less<>> known;
        for (const DeviceServer& server : devices->servers) {
            known[server.name] = devices->machines[server.machine].count("gpu");
        }
        for (std::size_t cell = 0; cell < gpus.size(); ++cell) {
            const auto found = known.find(cluster.cells[cell].name);
            if (found != known.end()) {
                gpus[cell] = std::max(gpus[cell], static_cast<std::int64_t>(found->second));
            }
        }
    }
    return gpus;
}

Is<"GanttServers"> servers_data(const Cluster& cluster,
                                const Devices* devices,
                                const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> names;
    std::vector<std::string> places;
    Column place_numbers;
    Column gpus;
    std::map<std::string, std::int64_t> known;
    const std::vector<std::int64_t> all_gpus = gpus_of(cluster, devices);
    for (std::size_t cell = 0; cell < numbers.size(); ++cell) {
        if (numbers[cell] < 0) {
            continue;
        }
        const std::string place = place_of(cluster, cluster.cells[cell]);
        const auto [at, is_new] = known.try_emplace(place, std::ssize(places));
        if (is_new) {
            places.push_back(place);
        }
        names.push_back(cluster.cells[cell].name);
        place_numbers.push_back(at->second);
        gpus.push_back(all_gpus[cell]);
    }
    return object<"GanttServers">(field<"names">(std::move(names)),
                                  field<"places">(std::move(places)),
                                  field<"placeOf">(packed(place_numbers)),
                                  field<"gpus">(packed(gpus)));
}

/// Texts that pods refer to, numbered in the order of their first use.
class Texts {
public:
    explicit Texts(const std::vector<std::string>& all) : all_(all), numbers_(all.size(), -1) {}

    std::int64_t number(std::uint32_t text) {
        if (numbers_[text] < 0) {
            numbers_[text] = std::ssize(used_);
            used_.push_back(all_[text]);
        }
        return numbers_[text];
    }
    [[nodiscard]] const std::vector<std::string>& used() const { return used_; }

private:
    const std::vector<std::string>& all_;
    std::vector<std::int64_t> numbers_;
    std::vector<std::string> used_;
};

}  // namespace

Maybe<"GanttData"> gantt_data(const Cluster& cluster,
                              const Devices* devices,
                              std::size_t pods_max) {
    if (!(cluster.last_s > 0)) {
        return nullptr;
    }
    const std::vector<std::int64_t> numbers = choose_servers(cluster, pods_max);
    std::vector<const PodRow*> pods;
    for (const PodRow& pod : cluster.pods) {
        if (numbers[pod.node] >= 0) {
            pods.push_back(&pod);
        }
    }
    std::ranges::stable_sort(pods, {}, [](const PodRow* pod) { return pod->start_s; });
    const double tick = tick_of(cluster.last_s);
    // Times may lie far outside of the run. JavaScript counts so far exactly.
    constexpr double ticks_max = 1LL << 52;
    const auto ticks = [&](double time_s) {
        return std::llround(std::clamp(time_s / tick, -ticks_max, ticks_max));
    };
    const PodSize size(cluster);
    Texts stems(cluster.names.stems);
    Texts groups(cluster.names.groups);
    Texts quotas(cluster.names.quotas);
    Column start, length, wait, server, gpus, high_gpus, amount, stem, number, group, quota;
    std::vector<std::int64_t> last_number(cluster.names.stems.size());
    for (const PodRow* pod : pods) {
        start.push_back(ticks(pod->start_s));
        // 0 means that it still ran at the end.
        const bool ended = std::isfinite(pod->finish_s);
        length.push_back(ended ? ticks(pod->finish_s) - start.back() + 1 : 0);
        wait.push_back(start.back() - ticks(pod->submit_s));
        server.push_back(numbers[pod->node]);
        gpus.push_back(static_cast<std::int64_t>(pod->gpus & 0xFFFFFFFF));
        high_gpus.push_back(static_cast<std::int64_t>(pod->gpus >> 32U));
        amount.push_back(size.thousandths(*pod));
        stem.push_back(stems.number(pod->stem));
        // Pods of one source start roughly in the order of their numbers, so differences are small.
        // A very negative number marks a pod without a number.
        std::int64_t& before = last_number[pod->stem];
        const bool numbered = pod->number != no_number;
        number.push_back(numbered ? std::int64_t{pod->number} - before : -(1LL << 40));
        before = numbered ? std::int64_t{pod->number} : before;
        group.push_back(pod->group == no_group ? -1 : groups.number(pod->group));
        quota.push_back(quotas.number(pod->quota));
    }
    auto columns = object<"GanttColumns">(field<"start">(packed(start)),
                                          field<"length">(packed(length)),
                                          field<"wait">(packed(wait)),
                                          field<"server">(packed(server)),
                                          field<"gpus">(packed(gpus)),
                                          field<"highGpus">(packed(high_gpus)),
                                          field<"size">(packed(amount)),
                                          field<"stem">(packed(stem)),
                                          field<"number">(packed(number)),
                                          field<"group">(packed(group)),
                                          field<"quota">(packed(quota)));
    return object<"GanttData">(field<"tick">(tick),
                               field<"last">(rounded(cluster.last_s)),
                               field<"until">(rounded(busy_until(cluster))),
                               field<"leaf">(cluster.leaf),
                               field<"pods">(pods.size()),
                               field<"total">(cluster.pods.size()),
                               field<"servers">(servers_data(cluster, devices, numbers)),
                               field<"resource">(size.resource()),
                               field<"stems">(stems.used()),
                               field<"groups">(groups.used()),
                               field<"quotas">(quotas.used()),
                               field<"columns">(std::move(columns)));
}

}  // namespace berth::report
