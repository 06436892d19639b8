#include "schedulers/slurm/requests/slurm_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "schedulers/slurm/documents/read_accounting.hpp"
#include "schedulers/slurm/documents/read_nodes.hpp"
#include "schedulers/slurm/documents/read_partitions.hpp"
#include "schedulers/slurm/requests/read_job.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

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

/// Refuses keys that are not known.
void check_keys(const RequestField& map, const std::vector<std::string>& known) {
    for (const auto& [key, value] : map.entries()) {
        if (std::ranges::find(known, key) == known.end()) {
            throw RequestError(fmt::format("{}: unknown key: expected {}{}",
                                           value.place(),
                                           core::alternatives(known),
                                           core::suggestion(key, known)));
        }
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
    check_keys(cycles, {"main", "main_full", "backfill"});
    std::ranges::stable_sort(passes, {}, &RecordedPass::at);
    return passes;
}

/// The lines of the partitions of a request; one without nodes has all.
std::vector<ConfLine> partition_lines(const RequestField& partitions) {
    std::vector<ConfLine> lines;
    for (const RequestField& partition : partitions.items()) {
        ConfLine line = settings_of(partition);
        if (!partition["PartitionName"].is_present()) {
            throw RequestError(
                fmt::format("no {}: expected one", partition["PartitionName"].place()));
        }
        if (std::ranges::none_of(line, [](const auto& each) { return each.is("Nodes"); })) {
            line.push_back({partition.place(), "Nodes", "ALL"});
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

/// The version in a text such as `slurm 22.05.8`.
SlurmVersion version_of(const RequestField& field) {
    if (!field.is_present()) {
        return {};
    }
    const auto version = version_in(field.text());
    if (!version) {
        field.fail("a version from 20.11 to 26.05, such as slurm 22.05.8");
    }
    return *version;
}

/// Refuses keys that would have no effect beside others.
void check_files(const RequestField& field, bool is_file) {
    for (const char* key : {"nodes", "partitions"}) {
        if (is_file && field[key].is_present()) {
            field[key].fail("nothing beside conf, which has them");
        }
    }
    if (!is_file && field["gres"].is_present()) {
        field["gres"].fail("conf beside it; without conf, nodes have gpus");
    }
    for (const char* key : {"NodeName", "PartitionName"}) {
        if (field["slurm_conf"][key].is_present()) {
            field["slurm_conf"][key].fail("nodes and partitions in conf, or beside slurm_conf");
        }
    }
}

void read_cluster(const RequestField& field, SlurmVersion version, SlurmRequest& read) {
    std::vector<ConfLine> conf;
    std::vector<ConfLine> gres;
    const bool is_file = field["conf"].is_present();
    check_files(field, is_file);
    if (is_file) {
        conf = conf_lines(field["conf"].text(), "slurm.conf");
        gres = conf_lines(field["gres"].text_or(""), "gres.conf");
    }
    ConfLine settings = settings_of_conf(conf);
    const ConfLine more = settings_of(field["slurm_conf"]);
    settings.insert(settings.end(), more.begin(), more.end());
    SlurmConfiguration configuration = read_configuration(settings, version);
    read.cluster.configuration = configuration.configuration;
    read.cluster.licenses = std::move(configuration.licenses);
    read.clocks = configuration.clocks;
    read.not_followed = std::move(configuration.not_followed);
    read.cluster.nodes = is_file ? nodes_of_conf(conf, gres) : read_nodes(field["nodes"]);
    if (read.cluster.nodes.empty()) {
        throw RequestError(fmt::format("{} has no node: expected at least one",
                                       field[is_file ? "conf" : "nodes"].place()));
    }
    read.cluster.partitions = read_partitions(is_file ? conf : partition_lines(field["partitions"]),
                                              read.cluster.nodes,
                                              read.not_followed);
    std::vector<SlurmSetting> lines;
    for (const RequestField& line : field["accounting"].items()) {
        lines.push_back({line.place(), "the line", line.text()});
    }
    read_accounting(lines, read.cluster, read.not_followed);
}

/// Names keys of jobs that are neither read nor told by a recording.
void name_unknown_keys(const RequestField& job,
                       std::set<std::string>& named,
                       std::vector<std::string>& not_followed) {
    static const std::set<std::string_view> known{"account",
                                                  "after",
                                                  "array",
                                                  "cpus_per_task",
                                                  "exclusive",
                                                  "gpus",
                                                  "gres",
                                                  "licenses",
                                                  "mem",
                                                  "mem_per_cpu",
                                                  "name",
                                                  "nodes",
                                                  "ntasks",
                                                  "partition",
                                                  "planned_submit_s",
                                                  "priority",
                                                  "qos",
                                                  "run_s",
                                                  "sleep_s",
                                                  "submit_s",
                                                  "task_run_s",
                                                  "tasks_per_node",
                                                  "time_limit_min",
                                                  "user",
                                                  // What a recording tells of what happened.
                                                  "ends",
                                                  "initial_priority",
                                                  "job_id",
                                                  "reasons",
                                                  "refused",
                                                  "starts",
                                                  "state",
                                                  "tasks",
                                                  "where"};
    for (const auto& [key, value] : job.entries()) {
        if (!known.contains(key) && named.insert(key).second) {
            not_followed.push_back(
                fmt::format("{}: berth does not know this key of jobs", value.place()));
        }
    }
}

/// Finds the job for which each waits. sbatch must know it when the one that waits is submitted.
void resolve_after(const RequestField& jobs, std::vector<AskedJob>& read) {
    std::map<std::string_view, std::size_t> numbers;
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (!read[i].after.empty()) {
            const auto other = numbers.find(read[i].after);
            if (other == numbers.end() || read[other->second].submit > read[i].submit) {
                jobs.items()[i]["after"].fail(
                    "the name of a job that is submitted before, and "
                    "stands before it");
            }
        }
        numbers.emplace(read[i].name, i);
    }
    std::ranges::stable_sort(read, {}, &AskedJob::submit);
    numbers.clear();
    for (std::size_t i = 0; i < read.size(); ++i) {
        numbers.emplace(read[i].name, i);
    }
    for (AskedJob& job : read) {
        job.after_job = job.after.empty() ? std::nullopt : std::optional(numbers.at(job.after));
    }
}

void read_jobs(const RequestField& jobs, SlurmRequest& read) {
    constexpr std::size_t most_tasks = 200'000;
    std::set<std::string> names;
    std::set<std::string> unknown;
    std::size_t tasks = 0;
    for (const RequestField& job : jobs.items()) {
        name_unknown_keys(job, unknown, read.not_followed);
        read.jobs.push_back(read_job(job, read.cluster));
        tasks += read.jobs.back().tasks.size();
        if (tasks > most_tasks) {
            job.fail(fmt::format("at most {} jobs and tasks of arrays", most_tasks));
        }
        if (!names.insert(read.jobs.back().name).second) {
            job["name"].fail("a name that no job before has");
        }
        if (read.jobs.back().submit < -read.clock_at_0) {
            job["submit_s"].fail("no instant before 1970: clock_s_since_1970_at_0 says when 0 is");
        }
    }
    resolve_after(jobs, read.jobs);
}

}  // namespace

SlurmRequest read_slurm_request(const RequestField& request) {
    SlurmRequest read;
    try {
        read_cluster(request["cluster"], version_of(request["slurm"]), read);
        if (request["clock_s_since_1970_at_0"].is_present()) {
            read.clock_at_0 = milliseconds(request["clock_s_since_1970_at_0"], -1e11, 1e11);
        }
        read_jobs(request["jobs"], read);
        read.passes = read_passes(request["cycles"]);
    } catch (const SlurmFault& fault) {
        throw RequestError(fault.what());
    }
    return read;
}

}  // namespace berth::experiments
