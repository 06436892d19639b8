#include "experiments/program/results/device_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace berth::report {
namespace {

void count(const DevicePod& pod, NearnessCounts& counts) {
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        if (pod.counts(kind)) {
            counts[kind].pods += 1;
            counts[kind].reached += pod.reached[kind] ? 1 : 0;
            counts[kind].attainable += pod.reached[kind] || pod.attainable[kind] ? 1 : 0;
        }
    }
}

/// The smallest round number of seconds, minutes, hours or days that is at least this long.
double round_width(double least_s) {
    constexpr double day = 86'400;
    for (const double width : {1.0,
                               2.0,
                               5.0,
                               10.0,
                               30.0,
                               60.0,
                               120.0,
                               300.0,
                               600.0,
                               1'200.0,
                               1'800.0,
                               3'600.0,
                               7'200.0,
                               10'800.0,
                               21'600.0,
                               43'200.0,
                               day}) {
        if (width >= least_s) {
            return width;
        }
    }
    return day * std::ceil(least_s / day);
}

std::string reason_of_any_size(const Devices& devices, const DevicePod& pod) {
    if (pod.crosses() && !devices.splits(pod)) {
        return "it has more GPUs than one NUMA node of its server";
    }
    std::string text = devices.reasons[pod.reason];
    const std::string own = fmt::format(" {} GPUs ", pod.gpus.size());
    if (const std::size_t at = text.find(own); at != std::string::npos) {
        text.replace(at, own.size(), " enough GPUs ");
    }
    return text;
}

/// Counts how many pods hold each GPU of one server, and how many GPUs that leaves free.
class FreeOfServer {
public:
    explicit FreeOfServer(const DeviceMachine& machine)
        : holders_(machine.count("gpu")), domains_(machine.gpu_domains()) {}

    void change(const std::vector<std::uint32_t>& gpus, int by) {
        for (const std::uint32_t gpu : gpus) {
            holders_[gpu] += by;
        }
    }
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> all_and_whole() const {
        std::int64_t whole = 0;
        for (const std::vector<std::uint32_t>& domain : domains_) {
            const bool free =
                std::ranges::all_of(domain, [&](std::uint32_t gpu) { return holders_[gpu] == 0; });
            whole += free ? static_cast<std::int64_t>(domain.size()) : 0;
        }
        return {std::ranges::count(holders_, 0), whole};
    }

private:
    std::vector<int> holders_;
    std::vector<std::vector<std::uint32_t>> domains_;
};

}  // namespace

std::vector<NearnessOfSize> nearness_by_size(const Devices& devices) {
    std::map<std::size_t, NearnessOfSize> by_size;
    by_size[0];
    for (const DevicePod& pod : devices.pods) {
        if (pod.counts()) {
            for (const std::size_t size : {std::size_t(0), pod.gpus.size()}) {
                by_size[size].gpus = size;
                count(pod, by_size[size].kinds);
            }
        }
    }
    std::vector<NearnessOfSize> out;
    for (const auto& [size, of_size] : by_size) {
        out.push_back(of_size);
    }
    return out;
}

ReasonTable reasons_by_size(const Devices& devices) {
    std::map<std::string, std::map<std::size_t, std::uint64_t>> counts;
    ReasonTable table;
    for (const DevicePod& pod : devices.pods) {
        if (pod.reason != 0) {
            ++counts[reason_of_any_size(devices, pod)][pod.gpus.size()];
            table.sizes.push_back(pod.gpus.size());
        }
    }
    std::ranges::sort(table.sizes);
    table.sizes.erase(std::unique(table.sizes.begin(), table.sizes.end()), table.sizes.end());
    for (const auto& [text, by_size] : counts) {
        LocalityReason row{text, 0, {}};
        for (const std::size_t size : table.sizes) {
            const auto found = by_size.find(size);
            row.by_size.push_back(found == by_size.end() ? 0 : found->second);
            row.pods += row.by_size.back();
        }
        table.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(table.rows, std::ranges::greater(), &LocalityReason::pods);
    return table;
}

NearnessWindows nearness_over_time(const Devices& devices, std::size_t count_max) {
    NearnessWindows out;
    double first = std::numeric_limits<double>::infinity();
    double last = 0;
    for (const DevicePod& pod : devices.pods) {
        if (pod.counts()) {
            first = std::min(first, pod.start_s);
            last = std::max(last, pod.start_s);
        }
    }
    if (last < first) {
        return out;
    }
    out.width_s = round_width((last - first) / static_cast<double>(count_max));
    out.from_s = std::floor(first / out.width_s) * out.width_s;
    out.windows.resize(static_cast<std::size_t>((last - out.from_s) / out.width_s) + 1);
    for (const DevicePod& pod : devices.pods) {
        if (pod.counts()) {
            count(pod,
                  out.windows[static_cast<std::size_t>((pod.start_s - out.from_s) / out.width_s)]);
        }
    }
    return out;
}

ReplicationSeries free_gpus(const Devices& devices) {
    struct Change {
        double time_s;
        int by;
        const DevicePod* pod;
    };
    std::vector<Change> changes;
    for (const DevicePod& pod : devices.pods) {
        if (pod.replication == 0 && !pod.gpus.empty()) {
            changes.push_back({pod.start_s, 1, &pod});
            if (std::isfinite(pod.finish_s)) {
                changes.push_back({pod.finish_s, -1, &pod});
            }
        }
    }
    std::ranges::stable_sort(changes, {}, &Change::time_s);
    std::vector<FreeOfServer> servers;
    std::int64_t all = 0;
    std::int64_t whole = 0;
    for (const DeviceServer& server : devices.servers) {
        servers.emplace_back(devices.machines[server.machine]);
        all += servers.back().all_and_whole().first;
        whole += servers.back().all_and_whole().second;
    }
    ReplicationSeries out;
    out.values.resize(2);
    if (!changes.empty() && changes.front().time_s > 0) {
        out.time_s.push_back(0);
        out.values[0].push_back(static_cast<double>(all));
        out.values[1].push_back(static_cast<double>(all - whole));
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
        FreeOfServer& server = servers[changes[i].pod->server];
        const auto before = server.all_and_whole();
        server.change(changes[i].pod->gpus, changes[i].by);
        const auto after = server.all_and_whole();
        all += after.first - before.first;
        whole += after.second - before.second;
        if (i + 1 == changes.size() || changes[i + 1].time_s > changes[i].time_s) {
            out.time_s.push_back(changes[i].time_s);
            out.values[0].push_back(static_cast<double>(all));
            out.values[1].push_back(static_cast<double>(all - whole));
        }
    }
    return out;
}

}  // namespace berth::report
