#include "experiments/program/sweep/sbatch_options.hpp"

#include <algorithm>
#include <array>

namespace berth::experiments {
namespace {

constexpr auto names = std::to_array<std::string_view>({
    "account",
    "acctg-freq",
    "batch",
    "begin",
    "clusters",
    "comment",
    "constraint",
    "contiguous",
    "core-spec",
    "cores-per-socket",
    "cpu-freq",
    "cpus-per-gpu",
    "cpus-per-task",
    "deadline",
    "delay-boot",
    "dependency",
    "distribution",
    "exclude",
    "exclusive",
    "extra",
    "extra-node-info",
    "gpu-bind",
    "gpu-freq",
    "gpus",
    "gpus-per-node",
    "gpus-per-socket",
    "gpus-per-task",
    "gres",
    "gres-flags",
    "hint",
    "hold",
    "kill-on-invalid-dep",
    "licenses",
    "mail-type",
    "mail-user",
    "mcs-label",
    "mem",
    "mem-bind",
    "mem-per-cpu",
    "mem-per-gpu",
    "mincpus",
    "network",
    "nice",
    "no-kill",
    "nodefile",
    "nodelist",
    "nodes",
    "no-requeue",
    "ntasks",
    "ntasks-per-core",
    "ntasks-per-gpu",
    "ntasks-per-node",
    "ntasks-per-socket",
    "overcommit",
    "oversubscribe",
    "partition",
    "power",
    "prefer",
    "priority",
    "profile",
    "qos",
    "quiet",
    "reboot",
    "requeue",
    "reservation",
    "signal",
    "sockets-per-node",
    "spread-job",
    "switches",
    "thread-spec",
    "threads-per-core",
    "time",
    "time-min",
    "tmp",
    "tres-bind",
    "tres-per-task",
    "use-min-nodes",
    "verbose",
    "wait-all-nodes",
    "wckey",
});
/// The same options as single letters: those that take a value, which may follow at once,
constexpr std::string_view letters_with_value = "AbBCcdFGJLMmNnpqStwx";
/// and those that take none, behind which sbatch would read further options.
constexpr std::string_view letters_alone = "HkOQsv";

}  // namespace

bool only_asks(std::string_view option) {
    if (option.starts_with("--")) {
        const std::string_view name = option.substr(2, option.find('=') - 2);
        return std::ranges::find(names, name) != names.end();
    }
    if (option.size() < 2 || option[0] != '-') {
        return false;
    }
    const auto is_among = [&](std::string_view letters) {
        return letters.find(option[1]) != std::string_view::npos;
    };
    return is_among(letters_with_value) || (option.size() == 2 && is_among(letters_alone));
}

}  // namespace berth::experiments
