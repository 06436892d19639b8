#include "experiments/program/report/device_page.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/device_figures.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace {

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

/// The pods for which a kind of nearness is counted, those that reached it, and those that could
/// have reached it.
std::vector<Is<"NearnessCount">> counts_data(const NearnessCounts& counts) {
    return list_of(counts, [](const NearnessCount& count) {
        return row<"NearnessCount">(field<"pods">(count.pods),
                                    field<"reached">(count.reached),
                                    field<"attainable">(count.attainable));
    });
}

Is<"NearnessOfSize"> size_data(const NearnessOfSize& of_size) {
    return object<"NearnessOfSize">(field<"gpus">(of_size.gpus),
                                    field<"kinds">(counts_data(of_size.kinds)));
}

Is<"LocalityReasons"> reasons_data(const ReasonTable& table) {
    return object<"LocalityReasons">(
        field<"sizes">(table.sizes),
        field<"rows">(list_of(table.rows, [](const LocalityReason& reason) {
            return object<"LocalityReason">(field<"text">(reason.text),
                                            field<"pods">(reason.pods),
                                            field<"bySize">(reason.by_size));
        })));
}

Is<"NearnessWindows"> windows_data(const NearnessWindows& windows) {
    return object<"NearnessWindows">(field<"from">(rounded(windows.from_s)),
                                     field<"width">(rounded(windows.width_s)),
                                     field<"counts">(list_of(windows.windows, counts_data)));
}

/// The free GPUs: from samples if there are any, otherwise counted from the pods if these show
/// everything.
Maybe<"FreeGpus"> free_data(const RunDirectory& run) {
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
    return object<"FreeGpus">(field<"sampled">(sampled),
                              field<"time">(rounded_list(kept.time_s)),
                              field<"all">(rounded_list(kept.values[0])),
                              field<"broken">(rounded_list(kept.values[1])));
}

/// A time rounded to milliseconds. With six digits, events of a long run would coincide.
Is<"Value"> instant(double time_s) {
    if (!std::isfinite(time_s)) {
        return of_type<"Value">(nullptr);
    }
    const double rounded_s = std::round(time_s * 1'000) / 1'000;
    return of_type<"Value">(rounded_s == std::floor(rounded_s) ? rounded(rounded_s)
                                                               : of_type<"number">(rounded_s));
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

Is<"PackedStay"> pod_data(const DevicePod& pod) {
    return row<"PackedStay">(field<"name">(pod.name),
                             field<"start">(of_type<"number">(instant(pod.start_s))),
                             field<"finish">(instant(pod.finish_s)),
                             field<"gpus">(pod.gpus),
                             field<"nics">(pod.nics),
                             field<"reached">(bits(pod.reached)),
                             field<"attainable">(bits(pod.attainable)),
                             field<"reason">(pod.reason));
}

Is<"MachineDevice"> device_data(const MachineDevice& device) {
    return object<"MachineDevice">(field<"kind">(device.kind),
                                   field<"index">(device.index),
                                   field<"model">(device.model),
                                   field<"numa">(device.numa),
                                   field<"pcie">(device.pcie),
                                   field<"nvlink">(device.nvlink));
}

Is<"Machine"> machine_data(const DeviceMachine& machine) {
    return object<"Machine">(field<"type">(machine.type),
                             field<"devices">(list_of(machine.devices, device_data)));
}

Is<"DeviceServers"> servers_data(const Devices& devices, std::size_t pods_max) {
    const std::vector<Stay> all = stays(devices);
    std::vector<Is<"DeviceServer">> list;
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
        list.push_back(object<"DeviceServer">(
            field<"name">(server.name),
            field<"place">(server.place),
            field<"machine">(server.machine),
            field<"split">(stay.split),
            field<"pods">(stay.pods.size()),
            field<"stays">(list_of(std::span(stay.pods).first(count),
                                   [](const DevicePod* pod) { return pod_data(*pod); }))));
        shown += count;
    }
    return object<"DeviceServers">(field<"all">(devices.servers.size()),
                                   field<"used">(all.size()),
                                   field<"pods">(pods),
                                   field<"shown">(shown),
                                   field<"list">(std::move(list)));
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

Is<"Devices"> devices_data(const RunDirectory& run, std::size_t pods_max) {
    const Devices& devices = *run.devices;
    return object<"Devices">(
        field<"sizes">(list_of(nearness_by_size(devices), size_data)),
        field<"reasons">(reasons_data(reasons_by_size(devices))),
        field<"windows">(windows_data(nearness_over_time(devices, windows_max))),
        field<"free">(free_data(run)),
        field<"evictions">(devices.evictions),
        field<"background">(devices.background),
        field<"machines">(list_of(devices.machines, machine_data)),
        field<"texts">(devices.reasons),
        field<"servers">(servers_data(devices, pods_max)));
}

}  // namespace berth::report
