#include "experiments/program/slurm/job_script.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>

#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/slurm/slurm_commands.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

constexpr const char* script_schema = "berth.slurm/v1";

/// There are more tasks than can run at a time, so that a long task keeps few others waiting; but
/// not many more, because each costs Slurm about a second.
constexpr std::size_t tasks_per_place = 4;

/// Writes a time in Slurm's format `days-hours:minutes:seconds`.
std::string slurm_time(std::chrono::seconds time) {
    const auto seconds = time.count();
    return fmt::format("{}-{:02}:{:02}:{:02}",
                       seconds / 86400,
                       seconds / 3600 % 24,
                       seconds / 60 % 60,
                       seconds % 60);
}

}  // namespace

SlurmMemory::SlurmMemory(const std::filesystem::path& folder) : file_(folder / "job.json") {
    (void)make_folders(folder);
    const std::filesystem::path lock = folder / "lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0) {
        throw std::system_error(errno, std::generic_category(), lock.string());
    }
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const int why = errno;
        ::close(lock_);
        if (why != EWOULDBLOCK) {
            throw std::system_error(why, std::generic_category(), lock.string());
        }
        throw core::InputError(fmt::format(
            "{}: error: another berth follows this sweep on Slurm: expected one at a time",
            folder.string()));
    }
}

SlurmMemory::~SlurmMemory() {
    ::close(lock_);
}

std::optional<SubmittedArray> SlurmMemory::array() const {
    const auto json = parsed_if_json(core::text_of_file_if_any(file_).value_or(""));
    if (!json.is_object() || !json.contains("schema") || json["schema"] != script_schema) {
        return std::nullopt;
    }
    try {
        SubmittedArray out;
        out.name = json.at("name").get<std::string>();
        out.job = json.at("job").get<std::string>();
        if (!json.at("shards").is_number_unsigned() || !json.at("attempt").is_number_unsigned()) {
            return std::nullopt;
        }
        out.shards = json.at("shards").get<std::size_t>();
        out.attempt = json.at("attempt").get<std::size_t>();
        return out.shards > 0 ? std::optional(out) : std::nullopt;
    } catch (const nlohmann::ordered_json::exception&) {
        return std::nullopt;
    }
}

void SlurmMemory::remember(const SubmittedArray& array) {
    const nlohmann::ordered_json json{{"schema", script_schema},
                                      {"name", array.name},
                                      {"job", array.job},
                                      {"shards", array.shards},
                                      {"attempt", array.attempt}};
    write_file(file_, dumped(json, 2) + "\n");
}

void SlurmMemory::forget() {
    std::filesystem::remove(file_);
}

std::string array_list(const std::vector<std::size_t>& tasks) {
    std::string out;
    for (std::size_t i = 0; i < tasks.size();) {
        std::size_t end = i + 1;
        while (end < tasks.size() && tasks[end] == tasks[end - 1] + 1) {
            ++end;
        }
        out += out.empty() ? "" : ",";
        out += end == i + 1 ? fmt::format("{}", tasks[i])
                            : fmt::format("{}-{}", tasks[i], tasks[end - 1]);
        i = end;
    }
    return out;
}

std::size_t shard_count(const SlurmJob& job, std::size_t array_tasks_max) {
    return job.only
               ? 1
               : std::max<std::size_t>(
                     1,
                     std::min({job.points, array_tasks_max, tasks_per_place * job.options.width}));
}

std::string shell_quoted(const std::string& text) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) {
        return text;
    }
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

std::string job_script(const SlurmJob& job, std::size_t shards) {
    const std::string shard = job.only ? fmt::format("{}/{}", *job.only, job.points)
                                       : fmt::format("$SLURM_ARRAY_TASK_ID/{}", shards);
    return fmt::format(
        "#!/bin/sh\n"
        "# Written by berth --slurm: in the shard i/n are the points whose number, divided by n, "
        "leaves i.\n"
        "exec {1} sweep {2} -o {3} --shard \"{0}\" \\\n"
        "    -j \"${{SLURM_CPUS_ON_NODE:-1}}\" --quiet{4}\n",
        shard,
        shell_quoted(job.program.string()),
        shell_quoted((job.directory / "sweep.yaml").string()),
        shell_quoted(job.directory.string()),
        job.allow_code ? " --allow-code" : "");
}

std::filesystem::path slurm_folder(const SlurmJob& job) {
    return job.directory / "slurm";
}

std::filesystem::path script_path(const SlurmJob& job) {
    return slurm_folder(job) / "job.sh";
}

std::filesystem::path output_path(const SlurmJob& job, const std::string& id, std::size_t task) {
    return slurm_folder(job) / fmt::format("{}_{}.out", slurm_number(id), task);
}

std::vector<std::string> sbatch_arguments(const SlurmJob& job,
                                          const std::string& name,
                                          const std::vector<std::size_t>& tasks) {
    // If a node dies, its tasks start again, and their earlier output is kept.
    std::vector<std::string> out{"sbatch", "--requeue", "--open-mode=append"};
    if (!job.options.partition.empty()) {
        out.push_back("--partition=" + job.options.partition);
    }
    if (job.options.time) {
        out.push_back("--time=" + slurm_time(*job.options.time));
    }
    out.insert(out.end(), job.options.options.begin(), job.options.options.end());
    out.insert(out.end(),
               {"--parsable",
                "--job-name=" + name,
                fmt::format("--array={}%{}", array_list(tasks), job.options.width),
                // In file names, sbatch would replace a '%' and what follows; in folder names it
                // does not.
                "--chdir=" + slurm_folder(job).string(),
                "--output=%A_%a.out",
                script_path(job).string()});
    return out;
}

}  // namespace berth::experiments
