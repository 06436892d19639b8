#include "schedulers/kueue/why/kueue_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "schedulers/kueue/decide/assignment.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using kueue::QuotaNode;
using kueue::QuotaRefusal;
using kueue::QuotaStep;
using sim::KueueInquiry;

constexpr std::size_t holders_max = 5;
constexpr std::size_t borrowers_max = 3;

/// One resource of one flavor, with the amount asked for.
struct Need {
    kueue::FlavorResource what;
    core::Amount asked = 0;
    std::vector<QuotaStep> path{};
};

class Teller {
public:
    Teller(const sim::Turn& turn, const KueueInquiry& inquiry)
        : turn_(turn),
          inquiry_(inquiry),
          cache_(inquiry.cache()),
          tree_(cache_.tree()),
          names_(cache_.names()) {}

    [[nodiscard]] KueueScene tell() const {
        const sim::KueueMoment& moment = inquiry_.moment();
        KueueScene scene;
        scene.queue = cache_.queue(inquiry_.queue()).name;
        scene.parked = moment.asked.parked;
        scene.equals = moment.equals;
        scene.offered_again = moment.offered_again;
        for (const Need& need : needs()) {
            scene.shortages.push_back(shortage(need));
            scene.held.push_back(holders(need));
        }
        for (const kueue::ResourceGroup* group : inquiry_.groups()) {
            for (const kueue::FlavorId flavor : group->flavors) {
                if (inquiry_.has_topology(flavor)) {
                    tell_topology(flavor, scene);
                }
            }
        }
        return scene;
    }

private:
    [[nodiscard]] std::string text(kueue::ResourceId resource, core::Amount amount) const {
        return kueue::format_amount(names_[resource], amount);
    }

    /// The resources that are short, flavor by flavor.
    [[nodiscard]] std::vector<Need> needs() const {
        const kueue::ResourceAmounts asks = least_requests(inquiry_);
        std::vector<Need> found;
        for (const kueue::ResourceGroup* group : inquiry_.groups()) {
            for (const kueue::FlavorId flavor : group->flavors) {
                for (const kueue::ResourceId resource : group->resources) {
                    const auto asked = asks.find(resource);
                    if (asked == asks.end()) {
                        continue;
                    }
                    Need need{{flavor, resource}, asked->second};
                    need.path = quota_path(tree_, inquiry_.queue(), need.what, need.asked);
                    if (refusing(need) != nullptr) {
                        found.push_back(std::move(need));
                    }
                }
            }
        }
        return found;
    }

    [[nodiscard]] static const QuotaStep* refusing(const Need& need) {
        const auto step = std::ranges::find_if(
            need.path, [](const QuotaStep& one) { return one.refusal != QuotaRefusal::none; });
        return step == need.path.end() ? nullptr : &*step;
    }

    [[nodiscard]] KueueShortage shortage(const Need& need) const {
        const kueue::ResourceId resource = need.what.resource;
        const core::Amount most = tree_.potential(inquiry_.queue(), need.what);
        KueueShortage out{names_[need.what.flavor],
                          names_[resource],
                          text(resource, need.asked),
                          text(resource, need.path.front().available),
                          text(resource, most),
                          need.asked > most,
                          {}};
        for (const QuotaStep& step : need.path) {
            out.lines.push_back(line(step, need.what));
            out.lines.back().refuses = &step == refusing(need) ? why(step, resource) : "";
        }
        for (const QuotaStep& step : borrowers(need)) {
            out.lines.push_back(line(step, need.what));
            out.lines.back().above = false;
        }
        return out;
    }

    [[nodiscard]] std::string why(const QuotaStep& step, kueue::ResourceId resource) const {
        const std::string asked = text(resource, step.asked);
        return step.refusal == QuotaRefusal::borrowing_limit
                   ? fmt::format("its borrowingLimit refuses {}", asked)
                   : fmt::format("it has no {} left", asked);
    }

    [[nodiscard]] KueueQuotaLine line(const QuotaStep& step, kueue::FlavorResource what) const {
        const auto limit = [&](const std::optional<core::Amount>& amount) {
            return amount ? text(what.resource, *amount) : "";
        };
        return {tree_.name(step.node),
                step.node.index >= cache_.queue_count(),
                true,
                text(what.resource, step.quota.nominal),
                limit(step.quota.borrowing_limit),
                limit(step.quota.lending_limit),
                text(what.resource, step.used),
                text(what.resource, step.borrowed()),
                text(what.resource, step.available),
                ""};
    }

    /// The nodes beside the way up that use the most beyond their own quota.
    [[nodiscard]] std::vector<QuotaStep> borrowers(const Need& need) const {
        std::vector<QuotaStep> found;
        for (std::size_t i = 1; i < need.path.size(); ++i) {
            for (const auto& children :
                 {tree_.queues(need.path[i].node), tree_.cohorts(need.path[i].node)}) {
                for (const QuotaNode child : children) {
                    const QuotaStep step = quota_path(tree_, child, need.what, 0).front();
                    if (child != need.path[i - 1].node && step.borrowed() > 0) {
                        found.push_back(step);
                    }
                }
            }
        }
        std::ranges::stable_sort(found, std::ranges::greater(), &QuotaStep::borrowed);
        found.resize(std::min(found.size(), borrowers_max));
        return found;
    }

    /// The jobs that hold the most of the resource below the node that refuses.
    [[nodiscard]] HeldPlace holders(const Need& need) const {
        const QuotaNode node = refusing(need)->node;
        const kueue::ResourceId resource = need.what.resource;
        HeldPlace place{fmt::format("{} of {} in {} {}",
                                    names_[resource],
                                    names_[need.what.flavor],
                                    node.index < cache_.queue_count() ? "ClusterQueue" : "Cohort",
                                    tree_.name(node)),
                        fmt::format("(it asks for {}, {} could be had)",
                                    text(resource, need.asked),
                                    text(resource, need.path.front().available)),
                        {},
                        0,
                        ""};
        using Held = std::pair<core::Amount, const sim::KueueMoment::Holder*>;
        std::vector<Held> held;
        for (const sim::KueueMoment::Holder& holder : inquiry_.moment().held) {
            const kueue::FlavorResourceAmounts usage = holder.workload.usage();
            const auto amount = usage.find(need.what);
            if (amount != usage.end() && amount->second > 0 &&
                tree_.is_below(*holder.workload.queue, node)) {
                held.emplace_back(amount->second, &holder);
            }
        }
        std::ranges::stable_sort(held, std::ranges::greater(), &Held::first);
        for (const auto& [amount, holder] : held) {
            if (place.holders.size() == holders_max) {
                ++place.more;
                continue;
            }
            const kueue::Workload& workload = holder->workload;
            place.holders.push_back({workload.name,
                                     workload.queue_name,
                                     static_cast<core::Members>(workload.totals.front().count),
                                     fmt::format("{} {}", names_[resource], text(resource, amount)),
                                     "",
                                     std::chrono::seconds(workload.reserved->seconds)});
        }
        return place;
    }

    void tell_topology(kueue::FlavorId flavor, KueueScene& scene) const {
        const kueue::PodSet& pods = inquiry_.asked().pod_sets.front();
        const sim::FlavorTopology& topology = inquiry_.moment().settings.topologies.at(flavor);
        const core::Topology& tree = turn_.ledger.topology();
        const std::vector<kueue::LevelOfRoom> rooms = inquiry_.rooms(flavor);
        for (std::size_t i = 0; i < rooms.size(); ++i) {
            const kueue::LevelOfRoom& room = rooms[i];
            const core::NodeId best =
                tree.ancestor(tree.node_of(room.server), topology.levels.at(i));
            const bool required = pods.topology && pods.topology->required == room.label;
            const bool preferred = pods.topology && pods.topology->preferred == room.label;
            scene.levels.push_back({names_[flavor],
                                    room.label,
                                    required    ? "required"
                                    : preferred ? "preferred"
                                                : "",
                                    room.domains,
                                    room.with_room,
                                    room.most,
                                    std::string(tree.path(best))});
            if (required && room.most < pods.min_count) {
                scene.held.push_back(who_holds_below(turn_, best, turn_.record.job.demand));
                scene.held.back().lacking =
                    fmt::format("has room for {} of {} pods", room.most, pods.count);
            }
        }
    }

    const sim::Turn& turn_;
    const KueueInquiry& inquiry_;
    const kueue::Cache& cache_;
    const kueue::QuotaTree& tree_;
    const kueue::Names& names_;
};

}  // namespace

kueue::ResourceAmounts least_requests(const KueueInquiry& inquiry) {
    const kueue::PodSet& pods = inquiry.asked().pod_sets.front();
    const bool shrinks = inquiry.cache().gate(kueue::FeatureGate::partial_admission);
    return inquiry.requests(inquiry.asked(), shrinks ? pods.min_count : pods.count);
}

KueueScene kueue_scene(const sim::Turn& turn, const KueueInquiry& inquiry) {
    return Teller(turn, inquiry).tell();
}

}  // namespace berth::experiments
