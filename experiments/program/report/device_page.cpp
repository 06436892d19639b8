#include "experiments/program/report/device_page.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/device_figures.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

/// The rest of `text` if it begins with `key` and `: `.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
    if (!text.starts_with(key) || !text.substr(key.size()).starts_with(": ")) {
        return std::nullopt;
    }
    return text.substr(key.size() + 2);
}

/// A block of lines that `key:` opened at `indent`. It ends at the first line that is indented no
/// more than that.
struct Block {
    std::string_view key;
    std::size_t indent = std::string_view::npos;  ///< npos: outside of the block.

    /// Takes the next line. Returns whether it is within the block.
    bool holds(std::size_t at, std::string_view text) {
        const bool inside =
            indent != std::string_view::npos && (at > indent || (at == indent && text[0] == '-'));
        if (!inside) {
            indent = text == key ? at : std::string_view::npos;
        }
        return inside;
    }
};

constexpr std::size_t windows_max = 48;
constexpr std::size_t free_points_max = 2'000;

Json counts_data(const NearnessCounts& counts) {
    Json list = Json::array();
    for (const NearnessCount& count : counts) {
        list.push_back({count.pods, count.reached, count.attainable});
    }
    return list;
}

Json sizes_data(const Devices& devices) {
    Json list = Json::array();
    for (const NearnessOfSize& of_size : nearness_by_size(devices)) {
        list.push_back({{"gpus", of_size.gpus}, {"kinds", counts_data(of_size.kinds)}});
    }
    return list;
}

Json reasons_data(const Devices& devices) {
    const ReasonTable table = reasons_by_size(devices);
    Json rows = Json::array();
    for (const LocalityReason& row : table.rows) {
        rows.push_back({{"text", row.text}, {"pods", row.pods}, {"bySize", row.by_size}});
    }
    return {{"sizes", table.sizes}, {"rows", std::move(rows)}};
}

Json windows_data(const Devices& devices) {
    const NearnessWindows windows = nearness_over_time(devices, windows_max);
    Json counts = Json::array();
    for (const NearnessCounts& window : windows.windows) {
        counts.push_back(counts_data(window));
    }
    return {{"from", rounded(windows.from_s)},
            {"width", rounded(windows.width_s)},
            {"counts", std::move(counts)}};
}

/// The free GPUs: from samples if there are any, otherwise counted from the pods if these show
/// everything.
Json free_data(const RunDirectory& run) {
    const auto column = [&](const char* name) {
        const auto found = std::ranges::find(run.series.columns, name);
        return static_cast<std::size_t>(found - run.series.columns.begin());
    };
    const std::size_t all = column("gpus_free");
    const std::size_t broken = column("gpus_free_broken");
    const std::size_t columns = run.series.columns.size();
    ReplicationSeries series;
    const bool sampled = !run.series.replications.empty() && all < columns && broken < columns &&
                         run.series.replications[0].time_s.size() > 1;
    if (sampled) {
        const ReplicationSeries& first = run.series.replications[0];
        series.time_s = first.time_s;
        series.values = {first.values[all], first.values[broken]};
    } else if (!run.devices->evictions && !run.devices->background) {
        series = free_gpus(*run.devices);
    }
    if (series.time_s.size() < 2) {
        return nullptr;
    }
    const ReplicationSeries kept = downsample(series, free_points_max / 2);
    return {{"sampled", sampled},
            {"time", rounded_list(kept.time_s)},
            {"all", rounded_list(kept.values[0])},
            {"broken", rounded_list(kept.values[1])}};
}

/// A time rounded to milliseconds. With six digits, events of a long run would coincide.
Json instant(double time_s) {
    if (!std::isfinite(time_s)) {
        return nullptr;
    }
    const double rounded_s = std::round(time_s * 1'000) / 1'000;
    return rounded_s == std::floor(rounded_s) ? rounded(rounded_s) : Json(rounded_s);
}

unsigned bits(const Nearness& nearness) {
    unsigned mask = 0;
    for (std::size_t kind = 0; kind < nearness.size(); ++kind) {
        mask |= nearness[kind] ? 1U << kind : 0U;
    }
    return mask;
}

/// A server with its pods of replication 0, in the order of their starts.
struct Stay {
    std::uint32_t server = 0;
    std::size_t split = 0;
    std::vector<const DevicePod*> pods;
};

/// The servers that had a pod: those with the most split pods come first, then those with the most
/// pods.
std::vector<Stay> stays(const Devices& devices) {
    std::vector<Stay> all(devices.servers.size());
    for (std::uint32_t server = 0; server < all.size(); ++server) {
        all[server].server = server;
    }
    for (const DevicePod& pod : devices.pods) {
        if (pod.replication == 0) {
            all[pod.server].pods.push_back(&pod);
            all[pod.server].split += devices.splits(pod) ? 1 : 0;
        }
    }
    std::erase_if(all, [](const Stay& stay) { return stay.pods.empty(); });
    std::ranges::stable_sort(all, [](const Stay& a, const Stay& b) {
        return a.split != b.split ? a.split > b.split : a.pods.size() > b.pods.size();
    });
    for (Stay& stay : all) {
        std::ranges::stable_sort(stay.pods, {}, [](const DevicePod* pod) { return pod->start_s; });
    }
    return all;
}

Json pods_data(const std::vector<const DevicePod*>& pods, std::size_t count) {
    Json list = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        const DevicePod& pod = *pods[i];
        list.push_back({pod.name,
                        instant(pod.start_s),
                        instant(pod.finish_s),
                        pod.gpus,
                        pod.nics,
                        bits(pod.reached),
                        bits(pod.attainable),
                        pod.reason});
    }
    return list;
}

Json machines_data(const Devices& devices) {
    Json list = Json::array();
    for (const DeviceMachine& machine : devices.machines) {
        Json rows = Json::array();
        for (const MachineDevice& device : machine.devices) {
            rows.push_back({{"kind", device.kind},
                            {"index", device.index},
                            {"model", device.model},
                            {"numa", device.numa},
                            {"pcie", device.pcie},
                            {"nvlink", device.nvlink}});
        }
        list.push_back({{"type", machine.type}, {"devices", std::move(rows)}});
    }
    return list;
}

Json servers_data(const Devices& devices, std::size_t pods_max) {
    const std::vector<Stay> all = stays(devices);
    Json list = Json::array();
    std::size_t shown = 0;
    std::size_t pods = 0;
    for (const Stay& stay : all) {
        pods += stay.pods.size();
    }
    for (const Stay& stay : all) {
        const std::size_t room = pods_max - std::min(pods_max, shown);
        if (stay.pods.size() > room && !list.empty()) {
            break;
        }
        const std::size_t count = std::min(stay.pods.size(), std::max<std::size_t>(room, 1));
        const DeviceServer& server = devices.servers[stay.server];
        list.push_back({{"name", server.name},
                        {"place", server.place},
                        {"machine", server.machine},
                        {"split", stay.split},
                        {"pods", stay.pods.size()},
                        {"stays", pods_data(stay.pods, count)}});
        shown += count;
    }
    return {{"all", devices.servers.size()},
            {"used", all.size()},
            {"pods", pods},
            {"shown", shown},
            {"list", std::move(list)}};
}

}  // namespace

DeviceSetup device_setup(std::string_view configuration) {
    DeviceSetup setup;
    Block reserve{"reserve:"};
    Block metadata{"metadata:"};
    std::string solver;
    std::string rules;
    while (!configuration.empty()) {
        const std::size_t end = configuration.find('\n');
        const std::string_view line = configuration.substr(0, end);
        configuration.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string_view::npos) {
            continue;
        }
        std::string_view text = line.substr(indent);
        if (metadata.holds(indent, text) && value_of(text, "name")) {
            continue;
        }
        if (reserve.holds(indent, text)) {
            const bool item = text.starts_with("- ");
            text.remove_prefix(item ? 2 : 0);
            if (item && text.find(": ") == std::string_view::npos) {
                // An allocator that is only named means the same as one in a map with `name`.
                setup.allocator = text;
                setup.otherwise += std::string(indent, ' ') + "- name: " + std::string(text) + '\n';
                continue;
            }
            if (const auto name = value_of(text, "name")) {
                setup.allocator = *name;
            } else if (const auto which = value_of(text, "solver")) {
                solver = *which;
                continue;
            } else if (const auto whose = value_of(text, "rules")) {
                rules = *whose;
            }
        }
        setup.otherwise += std::string(line) + '\n';
    }
    setup.exact = solver == "exact";
    if (!setup.allocator.empty() && setup.allocator != "first-fit") {
        setup.allocator += setup.exact ? ", exact" : ", greedy";
        setup.allocator += rules.empty() ? "" : ", " + rules + " rules";
    }
    return setup;
}

std::vector<std::optional<std::size_t>> exact_partners(const std::vector<DeviceSetup>& setups) {
    std::vector<std::optional<std::size_t>> partners(setups.size());
    for (std::size_t run = 0; run < setups.size(); ++run) {
        for (std::size_t other = 0; other < setups.size() && !partners[run]; ++other) {
            if (!setups[run].exact && setups[other].exact && !setups[run].allocator.empty() &&
                setups[run].otherwise == setups[other].otherwise) {
                partners[run] = other;
            }
        }
    }
    return partners;
}

Json devices_data(const RunDirectory& run, std::size_t pods_max) {
    const Devices& devices = *run.devices;
    return {{"sizes", sizes_data(devices)},
            {"reasons", reasons_data(devices)},
            {"windows", windows_data(devices)},
            {"free", free_data(run)},
            {"evictions", devices.evictions},
            {"background", devices.background},
            {"machines", machines_data(devices)},
            {"texts", devices.reasons},
            {"servers", servers_data(devices, pods_max)}};
}

}  // namespace berth::report
