#include "schedulers/slurm/requests/read_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "schedulers/slurm/decide/submission.hpp"

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

/// A request for GPUs: gpu, gpu:2, gpu:a100, gpu:a100:2, and such with commas between.
std::vector<slurm::GpuRequest> read_gres(const RequestField& field) {
    std::vector<slurm::GpuRequest> requests;
    const SlurmSetting setting{"", "gres", field.text_or("")};
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
            request.count = read_count(field, "gres", count);
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
        if (text.find(':') != std::string::npos) {
            field.fail("a number of GPUs of any type: gres has those of one type, on each node");
        }
        return read_count(field, "count", text, least);
    }
    return field.whole(least);
}

std::map<std::string, std::int64_t> licenses_of(const RequestField& field) {
    std::map<std::string, std::int64_t> licenses;
    const SlurmSetting setting{"", "licenses", field.text_or("")};
    for (const std::string& item : setting.items()) {
        const std::size_t colon = std::min(item.find(':'), item.size());
        const std::string count = colon < item.size() ? item.substr(colon + 1) : "1";
        licenses[item.substr(0, colon)] = read_count(field, "licenses", count);
    }
    return licenses;
}

/// Adds the tasks of a part of an array's list: N, N-M or N-M:STEP.
void add_tasks(const RequestField& field, std::string_view part, AskedJob& asked) {
    constexpr std::int64_t most = 4'000'000;  // the largest MaxArraySize of Slurm
    std::array<std::int64_t, 3> numbers{0, 0, 1};
    std::size_t read = 0;
    for (const char before : {'\0', '-', ':'}) {
        if (read > 0 && (part.empty() || part.front() != before)) {
            break;
        }
        part.remove_prefix(read > 0 ? 1 : 0);
        const auto [end, fault] =
            std::from_chars(part.data(), part.data() + part.size(), numbers[read]);
        if (fault != std::errc() || numbers[read] < 0 || numbers[read] > most) {
            break;
        }
        part.remove_prefix(static_cast<std::size_t>(end - part.data()));
        ++read;
    }
    numbers[1] = read == 1 ? numbers[0] : numbers[1];
    if (read == 0 || !part.empty() || numbers[1] < numbers[0] || numbers[2] == 0) {
        field.fail("tasks such as 0-9, 1,3,5 or 0-15:4, and behind them %N if only N may run");
    }
    if (numbers[1] - numbers[0] > (most - std::ssize(asked.tasks)) * numbers[2]) {
        field.fail(fmt::format("at most {} tasks", most));
    }
    for (std::int64_t task = numbers[0]; task <= numbers[1]; task += numbers[2]) {
        asked.tasks.push_back({task, std::nullopt});
    }
}

/// Tasks of an array such as 0-9%3, and how many may run at once.
void read_array(const RequestField& field, AskedJob& asked) {
    const std::string text = field.text();
    const std::size_t percent = std::min(text.find('%'), text.size());
    asked.is_array = true;
    std::string_view list = std::string_view(text).substr(0, percent);
    for (bool more = true; more;) {
        const std::size_t comma = std::min(list.find(','), list.size());
        add_tasks(field, list.substr(0, comma), asked);
        more = comma < list.size();
        list.remove_prefix(more ? comma + 1 : comma);
    }
    // As in Slurm, each task is there once, in the order of the numbers.
    std::ranges::sort(asked.tasks, {}, &AskedTask::task);
    const auto twice = std::ranges::unique(asked.tasks, {}, &AskedTask::task);
    asked.tasks.erase(twice.begin(), twice.end());
    if (percent < text.size()) {
        asked.job.array_throttle = read_count(field, "array", text.substr(percent + 1));
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
    } else if (field["mem_per_cpu"].is_present()) {
        job.memory_per_cpu_mib = field["mem_per_cpu"].whole(1, slurm::no_limit / most);
    }
    job.gpus_per_node = read_gres(field["gres"]);
    job.gpus = field["gpus"].is_present() ? count_of(field["gpus"], 1) : 0;
    job.licenses = licenses_of(field["licenses"]);
    job.exclusive = field["exclusive"].boolean_or(false);
}

/// Gives the job its partition, which makes of it what it does.
void submit(const RequestField& field, const slurm::Cluster& cluster, AskedJob& asked) {
    const RequestField name = field["partition"];
    if (name.is_present() && name.text().find(',') != std::string::npos) {
        name.fail("one partition: berth does not follow lists of them");
    }
    const auto partition = slurm::find_partition(cluster, name.text_or(""));
    if (!partition) {
        asked.refused = name.is_present() ? "Invalid partition name specified"
                                          : "No partition specified or system default partition";
        return;
    }
    asked.job.partition = *partition;
    asked.refused = slurm::submit_to_partition(asked.job, cluster);
}

}  // namespace

Milliseconds milliseconds(const RequestField& seconds, double least, double most) {
    const double read = seconds.number(least);
    if (read > most) {
        seconds.fail(fmt::format("seconds of at most {:.0e}", most));
    }
    return std::llround(read * 1000);
}

AskedJob read_job(const RequestField& field, const slurm::Cluster& cluster) {
    AskedJob asked;
    slurm::Job& job = asked.job;
    asked.name = job.name = field["name"].text();
    job.user = field["user"].text_or("");
    job.account = field["account"].text_or("");
    job.qos = field["qos"].text_or("");
    job.limit = field["time_limit_min"].whole(1, 100'000'000) * 60;
    read_size(field, job);
    if (field["priority"].is_present()) {
        job.priority = field["priority"].whole(0);
    }
    const bool was_submitted = field["submit_s"].is_present();
    asked.submit = milliseconds(field[was_submitted ? "submit_s" : "planned_submit_s"]);
    asked.sleep = field["run_s"].is_present() ? 0 : milliseconds(field["sleep_s"], 0);
    asked.after = field["after"].text_or("");
    if (field["array"].is_present()) {
        read_array(field["array"], asked);
        if (field["run_s"].is_present()) {
            field["run_s"].fail("sleep_s of an array, or task_run_s, which has them by task");
        }
        for (AskedTask& task : asked.tasks) {
            const std::string key = std::to_string(task.task);
            if (const RequestField run = field["task_run_s"][key.c_str()]; run.is_present()) {
                task.run = milliseconds(run, 0);
            }
        }
    } else {
        asked.tasks.push_back({});
        if (field["run_s"].is_present()) {
            asked.tasks[0].run = milliseconds(field["run_s"], 0);
        }
    }
    submit(field, cluster, asked);
    return asked;
}

}  // namespace berth::experiments
