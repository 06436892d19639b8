/// Changes of the job: what it could ask for instead.

#include <fmt/format.h>

#include <algorithm>

#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "experiments/program/why/changes.hpp"
#include "experiments/program/why/trial.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments::changes {
namespace {

using core::Amount;
using core::Level;
using core::Members;
using sim::Job;

/// The largest number in [low, high) for which `starts` holds; nothing if it does not hold for
/// `low`. If it does not hold for a number, it holds for none above it.
template <class Starts>
std::optional<Amount> largest(Amount low, Amount high, Starts starts) {
    if (low >= high || !starts(low)) {
        return std::nullopt;
    }
    while (high - low > 1) {
        const Amount middle = low + (high - low) / 2;
        (starts(middle) ? low : high) = middle;
    }
    return low;
}

void add_ask(
    const Question& question, std::size_t r, Amount amount, const std::string& text, Changes& out) {
    const Job& job = question.turn.record.job;
    const core::ResourceSchema& schema = question.turn.ledger.topology().resources();
    std::vector<Amount> less(job.demand.size(), 0);
    less[r] = job.demand[r] - amount;
    out.found.push_back({fmt::format("{} asks for {} of {} instead of {}{}",
                                     job.group ? "each member" : "it",
                                     schema.format(r, amount),
                                     schema.name(r),
                                     schema.format(r, job.demand[r]),
                                     text),
                         share_of_cluster(question.turn.ledger, less, job.size),
                         {{"kind", "ask"},
                          {"resource", schema.name(r)},
                          {"from", schema.format(r, job.demand[r])},
                          {"to", schema.format(r, amount)}},
                         is_far(amount, job.demand[r])});
}

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

void fewer_gpus(const Question& question, std::size_t gpu, Changes& out) {
    const Job& job = question.turn.record.job;
    const Amount asked = job.demand[gpu];
    const auto starts = [&](Amount milli) {
        return lets_in_as(question.turn, with_gpus(job, gpu, milli));
    };
    // Rules about numbers of GPUs may allow two but not three, so each number is tried.
    const Amount first = (asked - 1) / core::gpu_whole_milli * core::gpu_whole_milli;
    for (Amount milli = first; milli >= core::gpu_whole_milli; milli -= core::gpu_whole_milli) {
        if (starts(milli)) {
            add_ask(question, gpu, milli, "", out);
            return;
        }
    }
    if (job.devices != nullptr) {
        return;  // only whole GPUs are possible
    }
    if (const auto share = largest(1, std::min(asked, core::gpu_whole_milli), starts)) {
        add_ask(question, gpu, *share, "", out);
    }
}

}  // namespace

void ask_for_less(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    const core::ResourceSchema& schema = question.turn.ledger.topology().resources();
    if (job.query != nullptr) {
        out.untried.emplace_back("asking for less: the job asks for allocation candidates");
        return;
    }
    if (job.devices != nullptr && !job.devices->groups.empty()) {
        out.untried.emplace_back("asking for less: the job asks for group resources");
        return;
    }
    const auto gpu = schema.find(core::device_resource::nvidia_gpu);
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] <= 0) {
            continue;
        }
        const bool chosen = job.devices != nullptr || job.gpus != nullptr ||
                            question.turn.settings.profile.inside.gpus.has_value();
        if (r == gpu && chosen) {
            fewer_gpus(question, r, out);
            continue;
        }
        const bool whole = core::find_gpu_resource(schema.name(r)) != nullptr;
        const Amount step = whole ? core::gpu_whole_milli : 1;  // half a GPU is not possible here
        const auto amount = largest(1, (job.demand[r] + step - 1) / step, [&](Amount steps) {
            Job changed = job;
            changed.demand[r] = steps * step;
            return lets_in_as(question.turn, changed);
        });
        if (amount) {
            add_ask(question, r, *amount * step, "", out);
        }
    }
}

/// The longest duration with which the job would end before a drain.
void shorter_run(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    if (question.turn.cluster.calendar().met(job) == 0) {
        return;
    }
    const auto run = largest(1, job.expected.count(), [&](Amount time) {
        Job changed = job;
        changed.expected = sim::SimTime(time);
        return lets_in_as(question.turn, changed);
    });
    if (run) {
        const sim::SimTime most(*run);
        const bool ends = job.expected != sim::never;
        out.found.push_back({fmt::format("it is expected to run for {} instead of {}",
                                         sim::time_text(most),
                                         ends ? sim::time_text(job.expected) : "without an end"),
                             std::nullopt,
                             {{"kind", "run"},
                              {"from", ends ? sim::format_seconds(job.expected) : ""},
                              {"to", sim::format_seconds(most)}}});
    }
}

void fewer_members(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    if (!job.group) {
        return;
    }
    const bool all = job.min_available == job.size;
    const auto with = [&](Members members) {
        Job changed = job;
        changed.size = all ? members : job.size;
        changed.min_available = members;
        return changed;
    };
    const auto members = largest(1, job.min_available, [&](Members count) {
        return lets_in_as(question.turn, with(count));
    });
    if (!members) {
        return;
    }
    const Members fewer = job.min_available - *members;
    out.found.push_back(
        {all ? fmt::format("it has {} members instead of {}", *members, job.size)
             : fmt::format("it starts with {} members instead of {}", *members, job.min_available),
         share_of_cluster(question.turn.ledger, job.demand, fewer),
         {{"kind", all ? "members" : "min-available"},
          {"from", job.min_available},
          {"to", *members}},
         is_far(*members, job.min_available)});
}

void other_constraints(const Question& question, Changes& out) {
    const Job& job = question.turn.record.job;
    const core::Topology& tree = question.turn.ledger.topology();
    const std::vector<Level> hard = hard_levels(job);
    const auto add = [&](std::string text, nlohmann::ordered_json what) {
        out.found.push_back({std::move(text), std::nullopt, std::move(what)});
    };
    for (const Level level : hard) {
        const std::string& name = tree.level_name(level);
        // The change to the level above, if that has no constraint yet.
        const Level above{level.index > 0 ? level.index - 1 : 0};
        if (above.index > 0 && !job.constraints->stated(above)) {
            Job changed = job;
            changed.constraints->set(above, job.constraints->at(level));
            changed.constraints->set(level, core::LevelConstraint());
            if (lets_in_as(question.turn, changed)) {
                add(fmt::format(
                        "its constraint is on {} instead of {}", tree.level_name(above), name),
                    {{"kind", "constraint"}, {"level", name}, {"to", tree.level_name(above)}});
            }
        }
        if (lets_in_as(question.turn, softened(job, {level}))) {
            add(fmt::format("its constraint on {} is soft", name),
                {{"kind", "constraint"}, {"level", name}, {"to", "soft"}});
        }
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
        if (lets_in_as(question.turn, changed)) {
            const std::string& name = tree.level_name(Level{i});
            add(fmt::format("its constraint on {} has no range, partitions or factor", name),
                {{"kind", "constraint"}, {"level", name}, {"to", "no options"}});
        }
    }
    if (hard.size() > 1 && lets_in_as(question.turn, softened(job, hard))) {
        add("all its constraints are soft", {{"kind", "constraint"}, {"to", "soft"}});
    }
}

}  // namespace berth::experiments::changes
