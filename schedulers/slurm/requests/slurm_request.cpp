#include "schedulers/slurm/requests/slurm_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schedulers/slurm/requests/host_list.hpp"
#include "schedulers/slurm/requests/read_accounting.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

Milliseconds milliseconds(const RequestField& seconds) {
    constexpr double most = 1e12;
    const double read = seconds.number(-most);
    if (read > most) {
        seconds.fail("seconds of at most 1e12");
    }
    return std::llround(read * 1000);
}

/// The keys of a map as keys of slurm.conf; numbers count as they are written.
std::vector<SlurmSetting> settings_of(const RequestField& map) {
    std::vector<SlurmSetting> settings;
    for (const auto& [key, value] : map.entries()) {
        if (value.is_present()) {
            if (value.value().is_map() || value.value().is_list()) {
                value.fail("a text");
            }
            settings.push_back({map.place(), key, std::string(value.value().text())});
        }
    }
    return settings;
}

/// The sockets of cores such as 0-7,16.
slurm::BitSet sockets_of(const RequestField& cores, const slurm::Node& node) {
    slurm::BitSet sockets(static_cast<std::size_t>(node.sockets));
    for (const std::string& core : expand_host_list(fmt::format("[{}]", cores.text()))) {
        const std::int64_t socket = std::stoll(core) / node.cores_per_socket;
        if (socket >= node.sockets) {
            cores.fail(fmt::format("cores of a node of {}, such as 0-7", node.cores()));
        }
        sockets.set(static_cast<std::size_t>(socket));
    }
    return sockets;
}

slurm::Node read_node(const RequestField& field) {
    constexpr std::int64_t most = 1024;
    slurm::Node node;
    node.name = field["name"].text();
    node.sockets = static_cast<int>(field["sockets"].whole_or(1, 1, most));
    node.cores_per_socket = static_cast<int>(field["cores_per_socket"].whole_or(1, 1, most));
    node.threads_per_core = static_cast<int>(field["threads_per_core"].whole_or(1, 1, most));
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
        node.gpus[gpu].sockets = sockets_of(cores[gpu], node);
    }
    return node;
}

slurm::NodeSet nodes_named(const SlurmSetting& setting, const std::vector<slurm::Node>& nodes) {
    slurm::NodeSet set(nodes.size());
    if (setting.value == "ALL") {
        return set.set();
    }
    for (const std::string& name : expand_host_list(setting.value)) {
        const auto node = std::ranges::find(nodes, name, &slurm::Node::name);
        if (node == nodes.end()) {
            setting.fail(fmt::format("nodes of the cluster: it has no {}", name));
        }
        set.set(static_cast<std::size_t>(node - nodes.begin()));
    }
    return set;
}

struct ReadPartition {
    slurm::Partition partition;
    bool is_default = false;
};

ReadPartition read_partition(const RequestField& field, const std::vector<slurm::Node>& nodes) {
    ReadPartition read;
    slurm::Partition& partition = read.partition;
    partition.nodes = slurm::NodeSet(nodes.size()).set();
    for (const SlurmSetting& setting : settings_of(field)) {
        if (setting.is("PartitionName")) {
            partition.name = setting.value;
        } else if (setting.is("Nodes")) {
            partition.nodes = nodes_named(setting, nodes);
        } else if (setting.is("Default")) {
            read.is_default = setting.flag();
        } else if (setting.is("PriorityTier")) {
            partition.tier = setting.whole(0);
        } else if (setting.is("PriorityJobFactor")) {
            partition.priority_factor = setting.whole(0);
        } else if (setting.is("OverSubscribe")) {
            partition.exclusive = same_word(setting.value, "EXCLUSIVE");
        } else if (setting.is("PreemptMode")) {
            partition.preempt_mode = setting.value;
        } else if (setting.is("MaxNodes")) {
            partition.max_nodes =
                same_word(setting.value, "UNLIMITED") ? slurm::no_limit : setting.whole(0);
        } else if (setting.is("MinNodes")) {
            partition.min_nodes = setting.whole(0);
        }
    }
    if (partition.name.empty()) {
        throw RequestError(fmt::format("no {}: expected one", field["PartitionName"].place()));
    }
    return read;
}

/// A request for GPUs: gpu, gpu:2, gpu:a100, gpu:a100:2, and such with commas between.
std::vector<slurm::GpuRequest> read_gres(const RequestField& field) {
    std::vector<slurm::GpuRequest> requests;
    const SlurmSetting setting{field.place(), "gres", field.text_or("")};
    for (const std::string& item : setting.items()) {
        const std::size_t first = std::min(item.find(':'), item.size());
        const std::size_t last = std::min(item.rfind(':'), item.size());
        if (item.substr(0, first) != "gpu") {
            field.fail("GPUs such as gpu:2 or gpu:a100:2: berth follows no other gres");
        }
        slurm::GpuRequest request;
        request.count = 1;
        std::string count = last < item.size() ? item.substr(last + 1) : "";
        const bool is_number =
            !count.empty() && count.find_first_not_of("0123456789") == std::string::npos;
        if (is_number) {
            request.count = SlurmSetting{field.place(), "gres", count}.whole(1);
            request.type = first < last ? item.substr(first + 1, last - first - 1) : "";
        } else if (first < item.size()) {
            request.type = item.substr(first + 1);
        }
        requests.push_back(request);
    }
    return requests;
}

/// A number that may be written as a text, as options of sbatch are.
std::int64_t count_of(const RequestField& field, std::int64_t least) {
    if (field.value().is_string()) {
        const std::string text(field.value().text());
        const std::size_t colon = text.rfind(':');
        const std::string digits = colon == std::string::npos ? text : text.substr(colon + 1);
        return SlurmSetting{field.place(), "count", digits}.whole(least);
    }
    return field.whole(least);
}

std::map<std::string, std::int64_t> licenses_of(const RequestField& field) {
    std::map<std::string, std::int64_t> licenses;
    const SlurmSetting setting{field.place(), "licenses", field.text_or("")};
    for (const std::string& item : setting.items()) {
        const std::size_t colon = std::min(item.find(':'), item.size());
        const std::string count = colon < item.size() ? item.substr(colon + 1) : "1";
        licenses[item.substr(0, colon)] = SlurmSetting{field.place(), "licenses", count}.whole(1);
    }
    return licenses;
}

/// Tasks of an array such as 0-9%3, and how many may run at once.
void read_array(const RequestField& field, AskedJob& asked) {
    const std::string text = field.text();
    const std::size_t percent = std::min(text.find('%'), text.size());
    asked.is_array = true;
    for (const std::string& number :
         expand_host_list(fmt::format("[{}]", text.substr(0, percent)))) {
        asked.tasks.push_back({std::stoll(number), std::nullopt});
    }
    if (percent < text.size()) {
        asked.job.array_throttle =
            SlurmSetting{field.place(), "array", text.substr(percent + 1)}.whole(1);
    }
}

void read_size(const RequestField& field, slurm::Job& job) {
    constexpr std::int64_t most = 1'000'000;
    job.cpus_per_task = field["cpus_per_task"].whole_or(1, 1, most);
    job.tasks_per_node = field["tasks_per_node"].whole_or(0, 0, most);
    if (field["nodes"].is_present()) {
        job.min_nodes = job.max_nodes = field["nodes"].whole(1, most);
    }
    const std::int64_t tasks = std::max<std::int64_t>(1, job.tasks_per_node) * job.min_nodes;
    job.tasks = field["ntasks"].whole_or(tasks, 1, most);
    if (field["mem"].is_present()) {
        job.memory_mib = field["mem"].whole(0, slurm::no_limit);
    }
    job.gpus_per_node = read_gres(field["gres"]);
    job.gpus = field["gpus"].is_present() ? count_of(field["gpus"], 1) : 0;
    job.licenses = licenses_of(field["licenses"]);
    job.exclusive = field["exclusive"].boolean_or(false);
}

AskedJob read_job(const RequestField& field, const std::vector<ReadPartition>& partitions) {
    AskedJob asked;
    slurm::Job& job = asked.job;
    asked.name = job.name = field["name"].text();
    job.user = field["user"].text_or("");
    job.account = field["account"].text_or("");
    job.qos = field["qos"].text_or("");
    const bool has_name = field["partition"].is_present();
    const auto partition = std::ranges::find_if(partitions, [&](const ReadPartition& each) {
        return has_name ? each.partition.name == field["partition"].text() : each.is_default;
    });
    if (partition == partitions.end()) {
        if (!has_name) {
            throw RequestError(
                fmt::format("{} names no partition, and none is Default=YES", field.place()));
        }
        field["partition"].fail("a partition of the cluster");
    }
    job.partition = static_cast<std::size_t>(partition - partitions.begin());
    job.limit = field["time_limit_min"].whole(1, 100'000'000) * 60;
    read_size(field, job);
    job.exclusive = job.exclusive || partition->partition.exclusive;
    if (field["priority"].is_present()) {
        job.priority = field["priority"].whole(0);
    }
    const bool was_submitted = field["submit_s"].is_present();
    asked.submit = milliseconds(field[was_submitted ? "submit_s" : "planned_submit_s"]);
    asked.sleep = milliseconds(field["sleep_s"]);
    asked.after = field["after"].text_or("");
    if (field["array"].is_present()) {
        read_array(field["array"], asked);
        for (AskedTask& task : asked.tasks) {
            const std::string key = std::to_string(task.task);
            if (const RequestField run = field["task_run_s"][key.c_str()]; run.is_present()) {
                task.run = milliseconds(run);
            }
        }
    } else {
        asked.tasks.push_back({});
        if (field["run_s"].is_present()) {
            asked.tasks[0].run = milliseconds(field["run_s"]);
        }
    }
    return asked;
}

/// A job that wants GPUs in all needs so many nodes at least.
void spread_gpus(slurm::Job& job, const slurm::Cluster& cluster) {
    if (job.gpus > 0) {
        std::size_t most = 1;
        for (const slurm::Node& node : cluster.nodes) {
            most = std::max(most, node.gpus.size());
        }
        const auto each = static_cast<std::int64_t>(most);
        job.min_nodes = std::max(job.min_nodes, (job.gpus + each - 1) / each);
    }
}

std::vector<RecordedPass> read_passes(const RequestField& cycles) {
    std::vector<RecordedPass> passes;
    const auto add = [&](const char* key, Pass kind) {
        for (const RequestField& at : cycles[key].items()) {
            passes.push_back({milliseconds(at), kind});
        }
    };
    add("main", Pass::main);
    add("main_full", Pass::main_full);
    add("backfill", Pass::backfill);
    std::ranges::stable_sort(passes, {}, &RecordedPass::at);
    return passes;
}

std::vector<ReadPartition> read_cluster(const RequestField& field, SlurmRequest& read) {
    slurm::Cluster& cluster = read.cluster;
    SlurmConfiguration configuration = read_configuration(settings_of(field["slurm_conf"]));
    cluster.configuration = configuration.configuration;
    cluster.licenses = std::move(configuration.licenses);
    read.clocks = configuration.clocks;
    for (const RequestField& node : field["nodes"].items()) {
        cluster.nodes.push_back(read_node(node));
    }
    if (cluster.nodes.empty()) {
        throw RequestError(
            fmt::format("{} has no node: expected at least one", field["nodes"].place()));
    }
    std::vector<ReadPartition> partitions;
    for (const RequestField& partition : field["partitions"].items()) {
        partitions.push_back(read_partition(partition, cluster.nodes));
        cluster.partitions.push_back(partitions.back().partition);
    }
    std::vector<SlurmSetting> lines;
    for (const RequestField& line : field["accounting"].items()) {
        lines.push_back({line.place(), "the line", line.text()});
    }
    read_accounting(lines, cluster);
    return partitions;
}

}  // namespace

SlurmRequest read_slurm_request(const RequestField& request) {
    SlurmRequest read;
    try {
        const std::vector<ReadPartition> partitions = read_cluster(request["cluster"], read);
        if (request["clock_s_since_1970_at_0"].is_present()) {
            read.clock_at_0 = milliseconds(request["clock_s_since_1970_at_0"]);
        }
        for (const RequestField& job : request["jobs"].items()) {
            read.jobs.push_back(read_job(job, partitions));
            spread_gpus(read.jobs.back().job, read.cluster);
        }
        read.passes = read_passes(request["cycles"]);
    } catch (const SlurmFault& fault) {
        throw RequestError(fault.what());
    } catch (const std::invalid_argument& fault) {
        throw RequestError(fault.what());
    }
    std::ranges::stable_sort(read.jobs, {}, &AskedJob::submit);
    return read;
}

}  // namespace berth::experiments
