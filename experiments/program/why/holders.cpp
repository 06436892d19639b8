#include "experiments/program/why/holders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "experiments/program/run/pods_table.hpp"
#include "experiments/program/why/nearest.hpp"
#include "experiments/program/why/search.hpp"
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
    std::vector<RankedHolder> all;
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
    keep_largest(std::move(all), place);
    for (std::size_t r = 0; r < outside.size(); ++r) {
        outside[r] = matters[r] > 0 ? std::max<Amount>(outside[r], 0) : 0;
    }
    place.background = amounts_text(tree.resources(), outside);
}

/// Finds the jobs that use most of the quota that refuses, including those in quotas below it.
void hold_in_quota(const sim::Turn& turn, const core::QuotaRefusal& refusal, HeldPlace& place) {
    const core::QuotaTrees& trees = turn.quotas->trees();
    std::vector<RankedHolder> all;
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
    keep_largest(std::move(all), place);
}

core::QuotaRefusal refusal_of(const sim::Turn& turn) {
    const sim::Job& job = turn.record.job;
    return turn.quotas->refusal(turn.quota, job, job.min_available).value();
}

}  // namespace

void keep_largest(std::vector<RankedHolder> all, HeldPlace& place) {
    std::ranges::stable_sort(all, std::ranges::greater(), &RankedHolder::share);
    for (RankedHolder& one : all) {
        if (place.holders.size() < holders_max) {
            place.holders.push_back(std::move(one.holder));
        } else {
            ++place.more;
        }
    }
}

std::vector<HeldPlace> who_holds(const sim::Turn& turn,
                                 const Finding& finding,
                                 const std::vector<LevelRoom>& rooms) {
    const core::Topology& tree = turn.ledger.topology();
    const sim::Job& job = turn.record.job;
    std::vector<HeldPlace> places;
    if (finding.stage == WhyStage::quota) {
        places.push_back({"quota " + finding.subject});
        hold_in_quota(turn, refusal_of(turn), places.back());
    } else if (finding.stage == WhyStage::members || finding.stage == WhyStage::level) {
        const LevelRoom room = room_in_the_way(turn, finding, rooms);
        places.push_back({fmt::format("{} {}", tree.level_name(room.level), tree.path(room.best)),
                          fmt::format("has room for {} of {} members", room.fit, job.size)});
        hold_below(turn, room.best, job.demand, places.back());
    } else if (finding.stage == WhyStage::filter || finding.stage == WhyStage::devices ||
               finding.stage == WhyStage::nodes || finding.stage == WhyStage::drains) {
        for (const NearServer& near : nearest_servers(turn, job.group ? 1 : places_max)) {
            const NodeId node = tree.node_of(near.server);
            const bool amounts = near.share > 0;
            places.push_back({"server " + tree.path(node),
                              amounts ? "lacks " + amounts_text(tree.resources(), near.lacking)
                                      : "refuses it: " + turn.cluster.why_not(job, near.server)});
            const std::span<const Amount> matters = amounts ? std::span(near.lacking) : job.demand;
            hold_below(turn, node, matters, places.back());
        }
        if (job.group) {
            places.push_back({"the cluster", "has room for no member"});
            hold_below(turn, tree.root(), job.demand, places.back());
        }
    }
    return places;
}

HeldPlace who_holds_below(const sim::Turn& turn, NodeId node, std::span<const Amount> matters) {
    const core::Topology& tree = turn.ledger.topology();
    HeldPlace place{fmt::format("{} {}", tree.level_name(tree.level_of(node)), tree.path(node))};
    hold_below(turn, node, matters, place);
    return place;
}

void tell_quotas(const sim::Turn& turn, const Finding& finding, Told& told) {
    if (finding.stage != WhyStage::quota) {
        return;
    }
    const core::ResourceSchema& schema = turn.ledger.topology().resources();
    core::QuotaTrees& trees = turn.quotas->trees();
    const auto row = [&](const char* where, const auto&... cells) {
        told.lines.line(2, "{:<7} {:<22} {:<16} {:>9} {:>9} {:>9} {:>9} {:>9}", where, cells...);
    };
    const auto tell = [&](core::QuotaId quota, std::size_t r, bool above) {
        const core::QuotaSpec& spec = trees.spec(quota);
        const auto runtime = trees.runtime(quota, r);
        const std::string min = schema.format(r, spec.min[r]);
        const std::string max = spec.max.has(r) ? schema.format(r, spec.max[r]) : "";
        const std::string limit = runtime ? schema.format(r, *runtime) : "";
        const std::string used = schema.format(r, trees.used(quota, r));
        const std::string request = schema.format(r, trees.child_request(quota, r));
        row(above                                ? ""
            : trees.used(quota, r) > spec.min[r] ? "borrows"
                                                 : "beside",
            trees.name(quota),
            schema.name(r),
            min,
            max,
            limit,
            used,
            request);
        told.json.push_back({{"quota", trees.name(quota)},
                             {"resource", schema.name(r)},
                             {"min", min},
                             {"max", max},
                             {"runtime", limit},
                             {"used", used},
                             {"request", request},
                             {"above", above}});
    };
    row("", "quota", "resource", "min", "max", "runtime", "used", "asked for");
    core::for_each_resource(refusal_of(turn).exceeded, [&](std::size_t r) {
        std::vector<core::QuotaId> beside;
        for (core::QuotaId quota = turn.quota;; quota = trees.parent(quota)) {
            tell(quota, r, true);
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
            tell(beside[i], r, false);
        }
    });
}

void tell_rooms(const sim::Turn& turn,
                const Finding& finding,
                const std::vector<LevelRoom>& rooms,
                Told& told) {
    constexpr const char* form = "{:<10} {:<14} {:>10}  {}";
    const core::Topology& tree = turn.ledger.topology();
    told.lines.line(2, form, "level", "constraint", "with room", "most in one");
    for (const LevelRoom& room : rooms) {
        const std::string& level = tree.level_name(room.level);
        told.lines.line(2,
                        form,
                        level,
                        room.constraint,
                        room.with_room,
                        fmt::format("{} in {}", room.fit, tree.path(room.best)));
        told.json.push_back({{"level", level},
                             {"constraint", room.constraint},
                             {"nodes_with_room", room.with_room},
                             {"best", tree.path(room.best)},
                             {"members", room.fit}});
    }
    if (finding.stage != WhyStage::members && finding.stage != WhyStage::level) {
        told.lines = {};
    }
}

}  // namespace berth::experiments
