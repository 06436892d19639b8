#include "schedulers/slurm/documents/read_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/support/parse_number.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

constexpr std::int64_t most_parts = 1024;
constexpr std::int64_t most_cores = 8192;
constexpr std::size_t most_nodes = 65'533;

/// Refuses clusters that are larger than Slurm's own limit, and nodes that no machine is.
template <class Where>
void check_size(const std::vector<slurm::Node>& nodes, const Where& where) {
    if (nodes.size() > most_nodes) {
        where.fail(fmt::format("at most {} nodes", most_nodes));
    }
    const slurm::Node& node = nodes.back();
    if (std::int64_t{node.sockets} * node.cores_per_socket > most_cores) {
        where.fail(fmt::format("nodes of at most {} cores", most_cores));
    }
}

/// The sockets of cores such as 0-7,16.
slurm::BitSet sockets_of(const SlurmSetting& cores, const slurm::Node& node) {
    slurm::BitSet sockets(static_cast<std::size_t>(node.sockets));
    const SlurmSetting list{cores.place, cores.key, fmt::format("[{}]", cores.value)};
    for (const std::string& core : list.names()) {
        const auto number = core::parse_number<std::int64_t>(core);
        const std::int64_t socket = number ? *number / node.cores_per_socket : node.sockets;
        if (socket >= node.sockets) {
            cores.fail(fmt::format("cores of a node of {}, such as 0-7", node.cores()));
        }
        sockets.set(static_cast<std::size_t>(socket));
    }
    return sockets;
}

slurm::Node read_node(const RequestField& field) {
    slurm::Node node;
    node.name = field["name"].text();
    node.sockets = static_cast<int>(field["sockets"].whole_or(1, 1, most_parts));
    node.cores_per_socket = static_cast<int>(field["cores_per_socket"].whole_or(1, 1, most_parts));
    node.threads_per_core = static_cast<int>(field["threads_per_core"].whole_or(1, 1, most_parts));
    node.memory_mib = field["memory_mib"].whole_or(1, 1, slurm::no_limit);
    node.weight = field["weight"].whole_or(1, 0, slurm::no_limit);
    for (const auto& [type, count] : field["gpus"].entries()) {
        const auto gpus = static_cast<std::size_t>(count.whole(0, 64));
        node.gpus.insert(node.gpus.end(), gpus, {type, {}});
    }
    if (node.gpus.size() > 64) {
        field["gpus"].fail("at most 64 GPUs on a node");
    }
    const std::vector<RequestField> cores = field["gpu_cores"].items();
    if (!cores.empty() && cores.size() != node.gpus.size()) {
        field["gpu_cores"].fail("one entry for each GPU");
    }
    for (std::size_t gpu = 0; gpu < cores.size(); ++gpu) {
        node.gpus[gpu].sockets =
            read_as_setting(cores[gpu], "Cores", cores[gpu].text(), [&](const SlurmSetting& each) {
                return sockets_of(each, node);
            });
    }
    return node;
}

/// The value of a key of a line, or of the defaults before it.
const SlurmSetting* find(const ConfLine& line, std::string_view key) {
    const auto found = std::ranges::find_if(
        line.rbegin(), line.rend(), [&](const SlurmSetting& each) { return each.is(key); });
    return found == line.rend() ? nullptr : &*found;
}

std::int64_t number(const ConfLine& line, std::string_view key, std::int64_t otherwise) {
    const SlurmSetting* setting = find(line, key);
    if (setting == nullptr) {
        return otherwise;
    }
    const std::int64_t read = setting->whole(1);
    if (read > most_parts) {
        setting->fail(fmt::format("at most {}", most_parts));
    }
    return read;
}

/// Sockets, cores and threads. `CPUs` alone are sockets of one core; if they are as many as the
/// cores, threads are no CPUs.
void read_shape(const ConfLine& line, slurm::Node& node) {
    const std::int64_t boards = number(line, "Boards", 1);
    std::int64_t cores = number(line, "CoresPerSocket", 1);
    std::int64_t threads = number(line, "ThreadsPerCore", 1);
    const SlurmSetting* cpus = find(line, "CPUs");
    const bool has_sockets = find(line, "Sockets") != nullptr ||
                             find(line, "SocketsPerBoard") != nullptr || cpus == nullptr;
    std::int64_t sockets = number(line, "Sockets", number(line, "SocketsPerBoard", 1) * boards);
    if (cpus != nullptr) {
        const std::int64_t count = number(line, "CPUs", 1);
        if (!has_sockets && count % (cores * threads) == 0) {
            sockets = count / (cores * threads);
        }
        if (count == sockets * cores) {
            threads = 1;
        } else if (count != sockets * cores * threads) {
            cpus->fail(fmt::format("{}, as Sockets, CoresPerSocket and ThreadsPerCore make it",
                                   sockets * cores * threads));
        }
    }
    node.sockets = static_cast<int>(sockets);
    node.cores_per_socket = static_cast<int>(cores);
    node.threads_per_core = static_cast<int>(threads);
}

struct ConfGres {
    std::string type;
    std::int64_t count = 1;
};

/// GPUs of a node's Gres, such as gpu:a100:4,gpu:2.
std::vector<ConfGres> gpus_of(const SlurmSetting& setting) {
    std::vector<ConfGres> gpus;
    for (std::string item : setting.items()) {
        item = item.substr(0, item.find('('));
        const std::size_t first = item.find(':');
        if (item.substr(0, first) != "gpu") {
            continue;
        }
        const std::size_t last = item.rfind(':');
        const std::string count = last == std::string::npos ? "1" : item.substr(last + 1);
        ConfGres gres;
        gres.count = SlurmSetting{setting.place, setting.key, count}.whole(0);
        gres.type = first == last ? "" : item.substr(first + 1, last - first - 1);
        gpus.push_back(gres);
    }
    return gpus;
}

/// A line of gres.conf for GPUs, as devices.
std::vector<slurm::Gpu> devices_of(const ConfLine& line, const slurm::Node& node) {
    const SlurmSetting* file = find(line, "File");
    const SlurmSetting* cores = find(line, "Cores");
    const SlurmSetting* type = find(line, "Type");
    const std::int64_t count =
        file != nullptr ? std::ssize(file->names()) : number(line, "Count", 1);
    slurm::Gpu gpu;
    gpu.type = type == nullptr ? "" : type->value;
    if (cores != nullptr) {
        gpu.sockets = sockets_of(*cores, node);
    }
    return {static_cast<std::size_t>(count), gpu};
}

/// A line of gres.conf for GPUs, and the nodes that it names; all if it names none.
struct GresLine {
    const ConfLine* line = nullptr;
    std::optional<std::set<std::string>> nodes;
};

std::vector<GresLine> gpu_lines(const std::vector<ConfLine>& gres) {
    std::vector<GresLine> lines;
    for (const ConfLine& line : gres) {
        const SlurmSetting* name = find(line, "Name");
        if (name == nullptr || name->value != "gpu") {
            continue;
        }
        lines.push_back({&line, std::nullopt});
        if (const SlurmSetting* nodes = find(line, "NodeName"); nodes != nullptr) {
            const std::vector<std::string> names = nodes->names();
            lines.back().nodes = std::set<std::string>(names.begin(), names.end());
        }
    }
    return lines;
}

/// The GPUs of a node: those of its lines of gres.conf, or as many as its Gres says.
void read_gpus(const ConfLine& line, const std::vector<GresLine>& gres, slurm::Node& node) {
    const SlurmSetting* setting = find(line, "Gres");
    if (setting == nullptr) {
        return;
    }
    std::int64_t said = 0;
    std::vector<slurm::Gpu> plain;
    for (const ConfGres& each : gpus_of(*setting)) {
        said += each.count;
        if (said > 64) {
            setting->fail("at most 64 GPUs on a node");
        }
        plain.insert(plain.end(), static_cast<std::size_t>(each.count), {each.type, {}});
    }
    for (const GresLine& each : gres) {
        if (!each.nodes || each.nodes->contains(node.name)) {
            const std::vector<slurm::Gpu> devices = devices_of(*each.line, node);
            node.gpus.insert(node.gpus.end(), devices.begin(), devices.end());
        }
    }
    if (node.gpus.empty()) {
        node.gpus = plain;
    }
    if (std::ssize(node.gpus) != said) {
        setting->fail(fmt::format("the {} of node {} in gres.conf", node.gpus.size(), node.name));
    }
    const bool has_cores =
        std::ranges::any_of(node.gpus, [](const slurm::Gpu& gpu) { return !gpu.sockets.empty(); });
    for (slurm::Gpu& gpu : node.gpus) {
        if (has_cores && gpu.sockets.empty()) {
            gpu.sockets = slurm::BitSet(static_cast<std::size_t>(node.sockets)).set();
        }
    }
}

void check_names(const std::vector<ConfLine>& gres, const std::set<std::string>& nodes) {
    for (const ConfLine& line : gres) {
        if (const SlurmSetting* names = find(line, "NodeName"); names != nullptr) {
            for (const std::string& name : names->names()) {
                if (!nodes.contains(name)) {
                    names->fail(fmt::format("nodes of slurm.conf: it has no {}", name));
                }
            }
        }
    }
}

}  // namespace

std::vector<slurm::Node> read_nodes(const RequestField& nodes) {
    std::vector<slurm::Node> read;
    std::set<std::string> names;
    for (const RequestField& node : nodes.items()) {
        read.push_back(read_node(node));
        check_size(read, node["name"]);
        if (!names.insert(read.back().name).second) {
            node["name"].fail("a name that no node before has");
        }
    }
    return read;
}

std::vector<slurm::Node> nodes_of_conf(const std::vector<ConfLine>& conf,
                                       const std::vector<ConfLine>& gres) {
    const std::vector<GresLine> devices = gpu_lines(gres);
    std::vector<slurm::Node> nodes;
    std::set<std::string> all;
    ConfLine defaults;
    for (const ConfLine& own : conf) {
        if (!own[0].is("NodeName")) {
            continue;
        }
        if (same_word(own[0].value, "DEFAULT")) {
            defaults.insert(defaults.end(), own.begin() + 1, own.end());
            continue;
        }
        ConfLine line = defaults;
        line.insert(line.end(), own.begin(), own.end());
        slurm::Node node;
        read_shape(line, node);
        const SlurmSetting* memory = find(line, "RealMemory");
        const SlurmSetting* kept = find(line, "MemSpecLimit");
        const SlurmSetting* weight = find(line, "Weight");
        const SlurmSetting* state = find(line, "State");
        if (state != nullptr && !same_word(state->value, "UNKNOWN") &&
            !same_word(state->value, "IDLE") && !same_word(state->value, "CLOUD") &&
            !same_word(state->value, "FUTURE")) {
            state->fail("UNKNOWN, IDLE, CLOUD or FUTURE: leave out a node that takes no jobs");
        }
        node.memory_mib = memory == nullptr ? 1 : memory->whole(1);
        node.memory_mib -= kept == nullptr ? 0 : std::min(kept->whole(0), node.memory_mib);
        node.weight = weight == nullptr ? 1 : weight->whole(0);
        for (const std::string& name : own[0].names()) {
            if (!all.insert(name).second) {
                own[0].fail(fmt::format("each node once: {} has a line before", name));
            }
            if (state != nullptr && same_word(state->value, "FUTURE")) {
                continue;
            }
            node.name = name;
            node.gpus.clear();
            read_gpus(line, devices, node);
            nodes.push_back(node);
            check_size(nodes, own[0]);
        }
    }
    check_names(gres, all);
    return nodes;
}

std::map<std::string, std::string> features_of_conf(const std::vector<ConfLine>& conf) {
    std::map<std::string, std::string> features;
    std::string usual;
    for (const ConfLine& line : conf) {
        if (!line[0].is("NodeName")) {
            continue;
        }
        const SlurmSetting* own = find(line, "Feature");
        own = own == nullptr ? find(line, "Features") : own;
        const std::string& text = own == nullptr ? usual : own->value;
        if (same_word(line[0].value, "DEFAULT")) {
            usual = text;
            continue;
        }
        for (const std::string& name : line[0].names()) {
            features.emplace(name, text);
        }
    }
    return features;
}

}  // namespace berth::experiments
