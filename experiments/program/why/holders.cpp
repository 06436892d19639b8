#include "experiments/program/why/holders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "experiments/program/run/pods_table.hpp"
#include "experiments/program/why/nearest.hpp"
#include "experiments/program/why/trial.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::Members;
using core::NodeId;

constexpr std::size_t places_max = 3;
constexpr std::size_t holders_max = 5;
constexpr std::size_t siblings_max = 3;

std::vector<Amount> amounts_of_all(std::span<const Amount> demand, Members members) {
    std::vector<Amount> out;
    for (const Amount amount : demand) {
        out.push_back(amount * members);
    }
    return out;
}

/// The GPUs of a server that a job's members hold.
std::string devices_on(const sim::JobRecord& running, core::ServerId server) {
    std::vector<std::string> parts;
    for (const sim::Stint& stint : running.stints) {
        for (std::size_t i = 0; i < stint.grants.size(); ++i) {
            const std::string gpus = gpu_indices(stint.grants[i]);
            if (!stint.finish && stint.server == server && !gpus.empty()) {
                parts.push_back(gpus);
            }
        }
    }
    return core::join(parts, " ");
}

struct Ranked {
    std::int64_t share = 0;
    Holder holder;
};

/// Sorts the largest first, and keeps no more than people would read.
void rank(std::vector<Ranked>& all, HeldPlace& place) {
    std::ranges::stable_sort(all, std::ranges::greater(), &Ranked::share);
    for (Ranked& one : all) {
        if (place.holders.size() < holders_max) {
            place.holders.push_back(std::move(one.holder));
        } else {
            ++place.more;
        }
    }
}

Holder holder_of(const sim::Turn& turn, const RunningJob& job, Members members) {
    const sim::JobRecord& record = *job.record;
    return {record.job.name,
            turn.quotas != nullptr ? turn.quotas->trees().name(job.quota) : "",
            members,
            amounts_text(turn.ledger.topology().resources(),
                         amounts_of_all(record.job.demand, members)),
            "",
            *record.start};
}

/// Finds the jobs that hold something below a node, in the resources that matter.
void hold_below(const sim::Turn& turn,
                NodeId node,
                std::span<const Amount> matters,
                HeldPlace& place) {
    const core::Topology& tree = turn.ledger.topology();
    std::vector<Amount> outside(turn.ledger.resource_count(), 0);
    for (std::size_t r = 0; r < outside.size(); ++r) {
        outside[r] = turn.ledger.allocated(node, r);
    }
    std::vector<Ranked> all;
    for (const RunningJob& job : running_jobs(turn)) {
        const Members members = members_below(*job.record, node, tree);
        std::vector<Amount> held = amounts_of_all(job.record->job.demand, members);
        for (std::size_t r = 0; r < held.size(); ++r) {
            outside[r] -= held[r];
            held[r] = matters[r] > 0 ? held[r] : 0;
        }
        const std::int64_t share = share_of_cluster(turn.ledger, held, 1);
        if (share > 0) {
            all.push_back({share, holder_of(turn, job, members)});
            if (tree.is_server(node)) {
                all.back().holder.devices = devices_on(*job.record, tree.server_of(node));
            }
        }
    }
    rank(all, place);
    for (std::size_t r = 0; r < outside.size(); ++r) {
        outside[r] = matters[r] > 0 ? std::max<Amount>(outside[r], 0) : 0;
    }
    place.background = amounts_text(tree.resources(), outside);
}

/// Finds the jobs that use most of the quota that refuses, including those in quotas below it.
void hold_in_quota(const sim::Turn& turn, const core::QuotaRefusal& refusal, HeldPlace& place) {
    const core::QuotaTrees& trees = turn.quotas->trees();
    std::vector<Ranked> all;
    for (const RunningJob& job : running_jobs(turn)) {
        core::QuotaId at = job.quota;
        while (at != refusal.quota && !trees.is_root(at)) {
            at = trees.parent(at);
        }
        std::vector<Amount> held(turn.ledger.resource_count(), 0);
        core::for_each_resource(refusal.exceeded, [&](std::size_t r) {
            held[r] = job.record->job.demand[r] * job.record->placed;
        });
        const std::int64_t share = share_of_cluster(turn.ledger, held, 1);
        if (at == refusal.quota && share > 0) {
            all.push_back({share, holder_of(turn, job, job.record->placed)});
        }
    }
    rank(all, place);
}

core::QuotaRefusal refusal_of(const sim::Turn& turn) {
    const sim::Job& job = turn.record.job;
    return turn.quotas->refusal(turn.quota, job, job.min_available).value();
}

}  // namespace

std::vector<HeldPlace> who_holds(const sim::Turn& turn,
                                 const Finding& finding,
                                 const std::vector<LevelRoom>& rooms) {
    const core::Topology& tree = turn.ledger.topology();
    const sim::Job& job = turn.record.job;
    std::vector<HeldPlace> places;
    if (finding.stage == WhyStage::quota) {
        places.push_back({"quota " + finding.subject, "", {}, 0, ""});
        hold_in_quota(turn, refusal_of(turn), places.back());
    } else if (finding.stage == WhyStage::members || finding.stage == WhyStage::level) {
        const LevelRoom room = room_in_the_way(turn, finding, rooms);
        places.push_back({fmt::format("{} {}", tree.level_name(room.level), tree.path(room.best)),
                          fmt::format("has room for {} of {} members", room.fit, job.size),
                          {},
                          0,
                          ""});
        hold_below(turn, room.best, job.demand, places.back());
    } else if (finding.stage == WhyStage::filter || finding.stage == WhyStage::devices ||
               finding.stage == WhyStage::drains) {
        for (const NearServer& near : nearest_servers(turn, job.group ? 1 : places_max)) {
            const NodeId node = tree.node_of(near.server);
            const bool amounts = near.share > 0;
            places.push_back({"server " + tree.path(node),
                              amounts ? "lacks " + amounts_text(tree.resources(), near.lacking)
                                      : "refuses it: " + turn.cluster.why_not(job, near.server),
                              {},
                              0,
                              ""});
            const std::span<const Amount> matters = amounts ? std::span(near.lacking) : job.demand;
            hold_below(turn, node, matters, places.back());
        }
        if (job.group) {
            places.push_back({"the cluster", "has room for no member", {}, 0, ""});
            hold_below(turn, tree.root(), job.demand, places.back());
        }
    }
    return places;
}

HeldPlace who_holds_below(const sim::Turn& turn, NodeId node, std::span<const Amount> matters) {
    const core::Topology& tree = turn.ledger.topology();
    HeldPlace place{
        fmt::format("{} {}", tree.level_name(tree.level_of(node)), tree.path(node)), "", {}, 0, ""};
    hold_below(turn, node, matters, place);
    return place;
}

std::vector<QuotaLine> quota_lines(const sim::Turn& turn, const Finding& finding) {
    std::vector<QuotaLine> lines;
    if (finding.stage != WhyStage::quota) {
        return lines;
    }
    const core::ResourceSchema& schema = turn.ledger.topology().resources();
    core::QuotaTrees& trees = turn.quotas->trees();
    const auto line = [&](core::QuotaId quota, std::size_t r, bool above) {
        const core::QuotaSpec& spec = trees.spec(quota);
        const auto runtime = trees.runtime(quota, r);
        const Amount used = trees.used(quota, r);
        return QuotaLine{trees.name(quota),
                         schema.name(r),
                         schema.format(r, spec.min[r]),
                         spec.max.has(r) ? schema.format(r, spec.max[r]) : "",
                         runtime ? schema.format(r, *runtime) : "",
                         schema.format(r, used),
                         schema.format(r, trees.child_request(quota, r)),
                         above,
                         used > spec.min[r]};
    };
    core::for_each_resource(refusal_of(turn).exceeded, [&](std::size_t r) {
        std::vector<core::QuotaId> beside;
        for (core::QuotaId quota = turn.quota;; quota = trees.parent(quota)) {
            lines.push_back(line(quota, r, true));
            if (trees.is_root(quota)) {
                break;
            }
            for (const core::QuotaId sibling : trees.children(trees.parent(quota))) {
                if (sibling != quota && trees.used(sibling, r) > 0) {
                    beside.push_back(sibling);
                }
            }
        }
        std::ranges::stable_sort(beside, std::ranges::greater(), [&](core::QuotaId quota) {
            return trees.used(quota, r) - trees.spec(quota).min[r];
        });
        for (std::size_t i = 0; i < std::min(beside.size(), siblings_max); ++i) {
            lines.push_back(line(beside[i], r, false));
        }
    });
    return lines;
}

}  // namespace berth::experiments
