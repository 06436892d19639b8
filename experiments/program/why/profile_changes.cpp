/// Changes of the job: what it could ask for instead, of amounts and of nodes.

#include "experiments/program/why/profile_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/why/nearest.hpp"
#include "experiments/program/why/trial.hpp"
#include "sim/job/node_selector.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {
namespace {

using changes::Question;
using core::Amount;
using core::Level;
using sim::Job;

constexpr std::size_t labelled_max = 3;  ///< The number of servers tried with other labels.

/// The job with other GPUs where devices are chosen: fewer of them, or a smaller part of one.
Job with_gpus(const Job& job, std::size_t gpu, Amount milli) {
    Job changed = job;
    changed.demand[gpu] = milli;
    if (job.gpus != nullptr) {
        core::GpuRequest request = *job.gpus;
        request.count = std::max<Amount>(milli / core::gpu_whole_milli, 1);
        request.milli = std::min(milli, core::gpu_whole_milli);
        changed.gpus = std::make_shared<const core::GpuRequest>(std::move(request));
    }
    if (job.devices != nullptr) {
        core::PodDevices devices = *job.devices;
        const Amount count = milli / core::gpu_whole_milli;
        devices.text += fmt::format(" with {} GPUs", count);
        devices.pod.requests.insert_or_assign(std::string(core::device_resource::nvidia_gpu),
                                              count);
        changed.devices = std::make_shared<const core::PodDevices>(std::move(devices));
    }
    return changed;
}

void fewer_gpus(const Question& question, std::size_t gpu) {
    const Job& job = question.turn.record.job;
    const Amount asked = job.demand[gpu];
    const auto with = [&](Amount milli) { return with_gpus(job, gpu, milli); };
    // Rules about numbers of GPUs may allow two but not three, so each number is tried.
    const Amount first = (asked - 1) / core::gpu_whole_milli * core::gpu_whole_milli;
    for (Amount milli = first; milli >= core::gpu_whole_milli; milli -= core::gpu_whole_milli) {
        if (question.search.asks_for(gpu, {milli + 1, milli}, 1, with)) {
            return;
        }
    }
    if (job.devices == nullptr) {  // otherwise only whole GPUs are possible
        question.search.asks_for(gpu, {std::min(asked, core::gpu_whole_milli), 1}, 1, with);
    }
}

void ask_for_less(const Question& question) {
    const Job& job = question.turn.record.job;
    const core::ResourceSchema& schema = question.turn.ledger.topology().resources();
    if (job.query != nullptr) {
        question.search.not_tried("asking for less: the job asks for allocation candidates");
        return;
    }
    if (job.devices != nullptr && !job.devices->groups.empty()) {
        question.search.not_tried("asking for less: the job asks for group resources");
        return;
    }
    const bool chosen = job.devices != nullptr || job.gpus != nullptr ||
                        question.turn.settings.profile.inside.gpus.has_value();
    const auto gpu = schema.find(core::device_resource::nvidia_gpu);
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] > 0 && r == gpu && chosen) {
            fewer_gpus(question, r);
        } else if (job.demand[r] > 0) {
            const bool whole = core::find_gpu_resource(schema.name(r)) != nullptr;
            // Half a GPU is not possible here.
            question.search.asks_for_less(r, whole ? core::gpu_whole_milli : 1);
        }
    }
}

/// The longest duration with which the job would end before a drain.
void shorter_run(const Question& question) {
    const Job& job = question.turn.record.job;
    if (question.turn.cluster.calendar().met(job) == 0) {
        return;
    }
    const bool ends = job.expected != sim::never;
    const auto ask = [&](const Amounts& time) {
        Job changed = job;
        changed.expected = sim::SimTime(time.front());
        return ask_as(question.turn, changed);
    };
    const auto change = [&](const Amounts& time) {
        const sim::SimTime most(time.front());
        return Change{fmt::format("it is expected to run for {} instead of {}",
                                  sim::time_text(most),
                                  ends ? sim::time_text(job.expected) : "without an end"),
                      {{"kind", "run"},
                       {"from", ends ? sim::format_seconds(job.expected) : ""},
                       {"to", sim::format_seconds(most)}}};
    };
    question.search.turn({{{job.expected.count(), 1}}, ask, change});
}

void other_constraints(const Question& question) {
    const Job& job = question.turn.record.job;
    const core::Topology& tree = question.turn.ledger.topology();
    const std::vector<Level> hard = hard_levels(job);
    for (const Level level : hard) {
        const Level above{level.index > 0 ? level.index - 1 : 0};
        if (above.index > 0 && !job.constraints->stated(above)) {
            question.search.constraint_moves(level, above);
        }
        question.search.constraint_is_soft(level);
    }
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        core::LevelConstraint constraint = job.constraints->at(Level{i});
        if (!constraint.range && constraint.partitions == 0 && constraint.factor == 1) {
            continue;
        }
        constraint.range.reset();
        constraint.partitions = 0;
        constraint.factor = 1;
        Job changed = job;
        changed.constraints->set(Level{i}, constraint);
        question.search.try_as(
            changed,
            worded_change("constraint",
                          "its constraint on {level} has no range, partitions or factor",
                          {{"level", tree.level_name(Level{i})}, {"to", "no options"}}));
    }
    if (hard.size() > 1) {
        question.search.try_as(
            softened(job, hard),
            {"all its constraints are soft", {{"kind", "constraint"}, {"to", "soft"}}});
    }
}

bool selects(const Question& question, sim::NodeSelector nodes, const Change& change) {
    sim::Job changed = question.turn.record.job;
    changed.nodes = std::make_shared<const sim::NodeSelector>(std::move(nodes));
    return question.search.try_as(changed, change);
}

/// The change that a server has what the job asks of nodes, which it has not.
void other_labels(const Question& question) {
    const sim::Turn& turn = question.turn;
    const sim::NodeSelector& nodes = *turn.record.job.nodes;
    const core::Topology& tree = turn.ledger.topology();
    std::size_t tried = 0;
    for (const NearServer& near : nearest_servers(turn, tree.server_count())) {
        if (near.share > 0 || nodes.selects(near.server)) {
            continue;
        }
        if (tried++ == labelled_max) {
            return;
        }
        const std::string asked = nodes.asked();
        if (selects(question,
                    nodes.with(near.server),
                    {fmt::format("{} has {}",
                                 tree.path(tree.node_of(near.server)),
                                 asked.empty() ? "no taint that it does not tolerate"
                                               : "what it asks of nodes: " + asked),
                     {{"kind", "labels"},
                      {"server", std::string(tree.name(tree.node_of(near.server)))},
                      {"refusal", nodes.refusal(near.server)}}})) {
            return;
        }
    }
}

void other_nodes(const Question& question) {
    const sim::Job& job = question.turn.record.job;
    if (job.nodes == nullptr || !job.nodes->rules()) {
        return;
    }
    if (!job.nodes->asked().empty()) {
        selects(question,
                job.nodes->whatever_labels(),
                {fmt::format("it does not ask for {}", job.nodes->asked()),
                 {{"kind", "nodes"}, {"without", "selector"}}});
    }
    if (job.nodes->meets_taints()) {
        selects(
            question,
            job.nodes->whatever_taints(),
            {"it tolerates the taints of all servers", {{"kind", "nodes"}, {"without", "taints"}}});
    }
    if (!job.group) {
        other_labels(question);
    }
}

}  // namespace

Changes find_changes(const sim::Turn& turn,
                     const Finding& finding,
                     const std::vector<LevelRoom>& rooms) {
    const Job& job = turn.record.job;
    Search search(turn.ledger, job, [&](const Job& changed) { return ask_as(turn, changed); });
    if (turn.held_up_by != nullptr) {
        search.try_as(job, {"it stands before all others in the queue", {{"kind", "first"}}});
        search.not_tried(
            "no change of the job or the cluster is tried while the queue's policy holds it up");
        return search.take();
    }
    const Question question{turn, finding, rooms, search};
    ask_for_less(question);
    shorter_run(question);
    if (job.min_available == job.size) {
        search.has_fewer_members();
    } else {
        search.starts_with_fewer();
    }
    changes::larger_quota(question);
    changes::freed_amounts(question);
    changes::others_leave(question);
    changes::more_servers(question);
    other_nodes(question);
    other_constraints(question);
    changes::earlier_turn(question);
    return search.take();
}

}  // namespace berth::experiments
