#include "experiments/program/why/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace berth::experiments {

using core::Level;
using core::Members;
using core::NodeId;

std::string_view to_string(WhyStage stage) {
    static constexpr std::array<std::string_view, 10> names{"queue",
                                                            "admission",
                                                            "quota",
                                                            "filter",
                                                            "devices",
                                                            "nodes",
                                                            "drains",
                                                            "members",
                                                            "level",
                                                            "placed"};
    return names[static_cast<std::size_t>(stage)];
}

Members admitted(sim::QuotaManager* quotas, core::QuotaId quota, const sim::Job& job) {
    return quotas != nullptr ? quotas->admissible(quota, job, job.min_available, job.size)
                             : job.size;
}

std::vector<Level> hard_levels(const sim::Job& job) {
    std::vector<Level> levels;
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        if (job.constraints->at(Level{i}).hard) {
            levels.push_back(Level{i});
        }
    }
    return levels;
}

sim::Job softened(sim::Job job, const std::vector<Level>& levels) {
    for (const Level level : levels) {
        core::LevelConstraint constraint = job.constraints->at(level);
        constraint.hard = false;
        job.constraints->set(level, constraint);
    }
    return job;
}

namespace {

/// The levels whose hard constraints keep a group out: the first one that does so alone, or all of
/// them together; empty if the group would not start without them either.
std::vector<Level> levels_in_the_way(const sim::Turn& turn, Members members) {
    const sim::Job& job = turn.record.job;
    const auto starts = [&](const std::vector<Level>& soft) {
        return turn.placer.look(softened(job, soft), members).found;
    };
    const std::vector<Level> hard = hard_levels(job);
    for (const Level level : hard) {
        if (starts({level})) {
            return {level};
        }
    }
    return hard.size() > 1 && starts(hard) ? hard : std::vector<Level>();
}

std::string constraint_text(const sim::Job& job, Level level) {
    if (!job.constraints || !job.constraints->stated(level)) {
        return "";
    }
    const core::LevelConstraint& constraint = job.constraints->at(level);
    return fmt::format("{}, {}",
                       constraint.affinity == core::Affinity::pack ? "pack" : "spread",
                       constraint.hard ? "hard" : "soft");
}

}  // namespace

const core::FitIndex& Finder::fits(const sim::Turn& turn) {
    if (fits_ == nullptr) {
        const sim::Job& job = turn.record.job;
        fits_ = std::make_unique<core::FitIndex>(turn.ledger,
                                                 job.demand.in_a_vector(),
                                                 core::NumFit::percolated,
                                                 turn.cluster.rule(job));
    }
    fits_->catch_up();
    return *fits_;
}

LevelRoom Finder::room(const sim::Turn& turn, Level level) {
    const core::FitIndex& index = fits(turn);
    const core::Topology& tree = turn.ledger.topology();
    const sim::Job& job = turn.record.job;
    LevelRoom room{level, constraint_text(job, level), *tree.level_nodes(level).begin(), 0, 0};
    for (const NodeId node : tree.level_nodes(level)) {
        const Members fit = std::clamp<Members>(index.fit(node), 0, job.size);
        room.with_room += fit > 0 ? 1 : 0;
        if (fit > room.fit) {
            room.fit = fit;
            room.best = node;
        }
    }
    return room;
}

std::vector<LevelRoom> Finder::rooms(const sim::Turn& turn) {
    std::vector<LevelRoom> out;
    for (std::uint32_t i = 0; i < turn.ledger.topology().level_count(); ++i) {
        out.push_back(room(turn, Level{i}));
    }
    return out;
}

Finding Finder::of_group(const sim::Turn& turn, Members members, Members placed) {
    const sim::Job& job = turn.record.job;
    const core::Topology& tree = turn.ledger.topology();
    const std::vector<Level> levels = levels_in_the_way(turn, members);
    if (levels.empty()) {
        const LevelRoom all = room(turn, Level{0});
        return {WhyStage::members,
                "",
                fmt::format("the cluster has places for {} of {} members: {}",
                            all.fit,
                            job.size,
                            turn.placer.explain(job, placed).reason)};
    }
    std::string subject;
    std::string reason;
    for (const Level level : levels) {
        const std::string& name = tree.level_name(level);
        const LevelRoom here = room(turn, level);
        subject += (subject.empty() ? "" : " and ") + name;
        reason += fmt::format(
            "{}{} ({}): the most that one {} has room for is {} of {} members, {}; {} of {} have "
            "room for one",
            reason.empty() ? "" : "; ",
            name,
            here.constraint,
            name,
            here.fit,
            job.size,
            tree.path(here.best),
            here.with_room,
            tree.level_size(level));
    }
    return {WhyStage::level, subject, reason + "."};
}

Finding Finder::find_out(const sim::Turn& turn) {
    if (!turn.kept_out.empty()) {
        return {turn.is_of_placer ? WhyStage::filter : WhyStage::admission,
                turn.kept_out_by,
                turn.kept_out};
    }
    const sim::Job& job = turn.record.job;
    const Members members = admitted(turn.quotas, turn.quota, job);
    Finding finding;
    if (members == 0) {
        const auto why = turn.quotas->refusal(turn.quota, job, job.min_available);
        finding = {WhyStage::quota,
                   turn.quotas->trees().name(why->quota),
                   turn.quotas->explain(turn.quota, job, job.min_available)};
    } else if (const sim::Attempt attempt = turn.placer.look(job, members); attempt.found) {
        finding.reason = "there is a place for it.";
    } else if (turn.placer.feasible_servers(job) > 0) {
        finding = of_group(turn, members, attempt.placed);
    } else {
        const auto [now, before_its_end] = turn.placer.drained_servers(job);
        const sim::Placer::Refusing& refusing = turn.placer.refusing_servers(job);
        const bool too_little = std::ranges::any_of(
            refusing.insufficient, [](std::uint32_t servers) { return servers > 0; });
        finding = {now + before_its_end > 0             ? WhyStage::drains
                   : refusing.inside > 0                ? WhyStage::devices
                   : refusing.beside > 0 && !too_little ? WhyStage::nodes
                                                        : WhyStage::filter,
                   "",
                   turn.placer.explain(job, attempt.placed).reason};
    }
    if (members > 0 && turn.quotas != nullptr) {
        finding.reason += turn.quotas->entitlement(turn.quota, job, job.min_available);
    }
    if (turn.held_up_by != nullptr) {
        return {WhyStage::queue,
                turn.held_up_by->name,
                fmt::format("{} is ahead of it and finds no place, and the queue's policy forbids "
                            "overtaking; otherwise, {}",
                            turn.held_up_by->name,
                            finding.reason)};
    }
    return finding;
}

}  // namespace berth::experiments
