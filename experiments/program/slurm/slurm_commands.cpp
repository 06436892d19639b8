#include "experiments/program/slurm/slurm_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/plot/program.hpp"

namespace berth::experiments {
namespace {

/// Slurm's commands give up by themselves, unless a disk or a network hangs.
constexpr std::chrono::seconds command_patience(120);

/// Joins messages of several lines, without the parts that name the program.
std::string one_line(const std::string& program, const std::string& messages) {
    std::string out;
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
        for (const std::string& prefix : {program + ": ", std::string("error: ")}) {
            if (line.starts_with(prefix)) {
                line.erase(0, prefix.size());
            }
        }
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) {
            line.pop_back();
        }
        if (!line.empty()) {
            out += (out.empty() ? "" : "; ") + line;
        }
    }
    return out;
}

std::vector<std::string> split(const std::string& text, char delimiter) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, delimiter);) {
        parts.push_back(part);
    }
    return parts;
}

/// `state` is Slurm's text, such as `CANCELLED by 0`; `exit` is `STATUS:SIGNAL`.
void add_task(SlurmTasks& tasks,
              const std::string& task,
              const std::string& state,
              const std::string& exit) {
    tasks.cancelled = tasks.cancelled || state.starts_with("CANCELLED");
    const auto number = core::parse_number<std::size_t>(task);
    const std::vector<std::string> codes = split(exit, ':');
    if (!number) {
        return;  // a part of the array that never began
    }
    std::string text = state;
    if (codes.size() == 2 && codes[1] != "0") {
        text += ", signal " + codes[1];
    } else if (!codes.empty() && codes[0] != "0") {
        text += ", exit " + codes[0];
    }
    tasks.states[*number] = text;
}

/// Reads lines of the form `JOB_TASK|STATE|STATUS:SIGNAL`.
SlurmTasks tasks_of_accounting(const std::string& text) {
    SlurmTasks tasks;
    for (const std::string& line : split(text, '\n')) {
        const std::vector<std::string> fields = split(line, '|');
        if (fields.size() == 3) {
            add_task(tasks, fields[0].substr(fields[0].find('_') + 1), fields[1], fields[2]);
        }
    }
    return tasks;
}

/// Reads lines of `NAME=VALUE` separated by blanks.
SlurmTasks tasks_of_controller(const std::string& text) {
    SlurmTasks tasks;
    for (const std::string& line : split(text, '\n')) {
        std::map<std::string, std::string> fields;
        for (const std::string& field : split(line, ' ')) {
            const std::size_t equals = std::min(field.find('='), field.size());
            fields.emplace(field.substr(0, equals),
                           field.substr(std::min(equals + 1, field.size())));
        }
        add_task(tasks, fields["ArrayTaskId"], fields["JobState"], fields["ExitCode"]);
    }
    return tasks;
}

}  // namespace

std::string slurm_number(const std::string& job) {
    return job.substr(0, job.find(';'));
}

std::optional<std::string> SlurmCommands::ask(std::vector<std::string> arguments,
                                              const std::string& job) {
    if (const std::size_t cluster = job.find(';'); cluster != std::string::npos) {
        arguments.insert(arguments.begin() + 1, "--clusters=" + job.substr(cluster + 1));
    }
    const auto answer = run_program(arguments, command_patience);
    if (!answer) {
        throw core::InputError(
            fmt::format("--slurm: error: no '{}' on this machine: expected Slurm's commands in "
                        "PATH; without --slurm the sweep runs here",
                        arguments[0]));
    }
    if (answer->status == 0) {
        return answer->out;
    }
    trouble_ = one_line(arguments[0], answer->err);
    if (trouble_.empty()) {
        trouble_ = fmt::format("{} ended with status {}", arguments[0], answer->status);
    }
    return std::nullopt;
}

std::optional<std::size_t> SlurmCommands::array_tasks_max() {
    const auto answer = ask({"scontrol", "show", "config"});
    if (!answer) {
        return std::nullopt;
    }
    for (const std::string& line : split(*answer, '\n')) {
        if (line.starts_with("MaxArraySize")) {
            if (const auto number =
                    core::parse_number<std::size_t>(line.substr(line.rfind(' ') + 1))) {
                return number;
            }
        }
    }
    return 1001;  // Slurm's default
}

std::optional<std::string> SlurmCommands::find_job(const std::string& name) {
    auto answer =
        ask({"squeue", "--me", "--noheader", "--states=all", "--name=" + name, "--format=%F"});
    if (answer) {
        answer->resize(std::min(answer->find('\n'), answer->size()));
    }
    return answer;
}

std::optional<std::string> SlurmCommands::submit(const std::vector<std::string>& arguments) {
    auto answer = ask(arguments);
    if (answer) {
        answer->resize(std::min(answer->find('\n'), answer->size()));
    }
    return answer;
}

std::optional<SlurmQueue> SlurmCommands::queue(const std::string& job) {
    const auto answer = ask(
        {"squeue", "--noheader", "--array", "--jobs=" + slurm_number(job), "--format=%T %r"}, job);
    SlurmQueue queue;
    if (!answer) {
        // Some minutes after its end, Slurm has forgotten a job.
        return trouble_.find("Invalid job id") != std::string::npos ? std::optional(queue)
                                                                    : std::nullopt;
    }
    for (const std::string& line : split(*answer, '\n')) {
        // The state of a task that will start again is REQUEUED, REQUEUE_HOLD or SPECIAL_EXIT.
        if (!line.starts_with("PENDING") && !line.starts_with("REQUEUE") &&
            !line.starts_with("SPECIAL_EXIT")) {
            ++queue.running;
            continue;
        }
        ++queue.pending;
        const std::string reason = line.substr(line.find(' ') + 1);
        if (reason.find("Held") != std::string::npos || reason.find("held") != std::string::npos) {
            ++queue.held;
            queue.held_reason = reason;
        }
    }
    return queue;
}

SlurmTasks SlurmCommands::ended_tasks(const std::string& job) {
    // On a cluster without accounting, sacct is missing or fails.
    const auto accounting = run_program({"sacct",
                                         "--noheader",
                                         "--parsable2",
                                         "--allocations",
                                         "--jobs=" + slurm_number(job),
                                         "--format=JobID,State,ExitCode"},
                                        command_patience);
    if (accounting && accounting->status == 0 && !accounting->out.empty()) {
        return tasks_of_accounting(accounting->out);
    }
    const auto answer = ask({"scontrol", "--oneliner", "show", "job", slurm_number(job)}, job);
    return answer ? tasks_of_controller(*answer) : SlurmTasks();
}

}  // namespace berth::experiments
