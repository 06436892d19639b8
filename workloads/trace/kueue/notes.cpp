#include "workloads/trace/kueue/notes.hpp"

#include <fmt/format.h>

#include "core/support/text.hpp"
#include "workloads/trace/kueue/object_header.hpp"

namespace berth::workloads {
namespace {

/// `2 Jobs and 3 Pods`.
std::string counted(const std::map<std::string, std::uint64_t>& by_kind) {
    std::string out;
    std::size_t left = by_kind.size();
    for (const auto& [kind, count] : by_kind) {
        out += fmt::format("{} {}{}", count, kind, count == 1 ? "" : "s");
        --left;
        out += left > 1 ? ", " : left == 1 ? " and " : "";
    }
    return out;
}

}  // namespace

void KueueNotes::count(const KueueJob& job) {
    choose_nodes_ += job.chooses_nodes ? 1 : 0;
    ran_before_ += job.ran_before && job.job.start ? 1 : 0;
    several_sets_ += job.has_several_sets ? 1 : 0;
    for (const std::string& resource : job.others) {
        ++others_[resource];
    }
}

std::vector<std::string> KueueNotes::lines() const {
    std::vector<std::string> out;
    const auto say = [&](bool is_so, std::string line) {
        if (is_so) {
            out.push_back(std::move(line));
        }
    };
    say(!taken.empty(),
        fmt::format("not counted twice: {}, for which Workloads or Jobs of the file stand",
                    counted(taken)));
    say(!orphans.empty(),
        fmt::format("left out: {} that belong to objects that are not in the file: expected "
                    "their Workloads there too",
                    counted(orphans)));
    say(!unresolved.empty(),
        fmt::format("left out: {} that name a queue, for which no Workload of the file stands: "
                    "expected their Workloads there too",
                    counted(unresolved)));
    say(!unqueued.empty(),
        fmt::format("left out: {} that name no queue ({}): Kueue does not admit them",
                    counted(unqueued),
                    queue_label));
    say(inactive > 0,
        fmt::format("left out: {} Workloads that are not active, which Kueue does not offer; {} of "
                    "them had run",
                    inactive,
                    inactive_that_ran));
    say(several_sets_ > 0,
        fmt::format("{} Workloads have several pod sets whose pods ask for the same: each is one "
                    "group of all its pods",
                    several_sets_));
    say(ran_before_ > 0,
        fmt::format("{} Workloads had run before and were evicted: their run time is that of "
                    "their last run",
                    ran_before_));
    say(choose_nodes_ > 0,
        fmt::format("{} jobs choose their nodes (nodeSelector, affinity), which a run does not "
                    "look at: they may get any flavor of their queue",
                    choose_nodes_));
    for (const auto& [resource, jobs] : others_) {
        say(true,
            fmt::format("{} jobs ask for {}, which is not counted: of a trace, a run knows cpu, "
                        "memory and nvidia.com/gpu",
                        jobs,
                        resource));
    }
    return out;
}

}  // namespace berth::workloads
