/// What of Kueue's state keeps a workload from getting quota, for people and for programs.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/why/holders.hpp"
#include "experiments/program/why/scheduler_why.hpp"
#include "experiments/program/why/story.hpp"
#include "schedulers/kueue/decide/assignment.hpp"
#include "schedulers/kueue/run/kueue_inquiry.hpp"
#include "schedulers/kueue/why/kueue_changes.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using Json = nlohmann::ordered_json;
using kueue::QuotaNode;
using kueue::QuotaRefusal;
using kueue::QuotaStep;
using sim::KueueInquiry;

constexpr std::size_t borrowers_max = 3;

/// One resource of one flavor that is short for the job.
struct Shortage {
    kueue::FlavorResource what;
    core::Amount asked = 0;
    /// The nodes from its ClusterQueue up to the root.
    std::vector<QuotaStep> path;
    std::vector<QuotaStep>::const_iterator refusing;
};

class KueueTeller {
public:
    KueueTeller(const sim::Turn& turn, const KueueInquiry& inquiry, Scene& scene)
        : turn_(turn),
          inquiry_(inquiry),
          cache_(inquiry.cache()),
          tree_(cache_.tree()),
          names_(cache_.names()),
          scene_(scene) {}

    void tell() {
        const sim::KueueMoment& moment = inquiry_.moment();
        for (const sim::KueueMoment::Waiter* other : inquiry_.before()) {
            scene_.waiting_before.push_back(other->workload.name);
        }
        const std::optional<sim::SimTime>& again = moment.offered_again;
        scene_.own.json = {{"queue", cache_.queue(inquiry_.queue()).name},
                           {"parked", moment.asked.parked},
                           {"equals", moment.equals},
                           {"offered_again_s", again ? Json(sim::seconds(*again)) : Json(nullptr)},
                           {"shortages", Json::array()},
                           {"levels", Json::array()}};
        if (moment.asked.parked) {
            line(1,
                 "parked{} until something is given back in its tree of cohorts",
                 moment.equals > 0 ? fmt::format(" with {} more that ask{} for the same",
                                                 moment.equals,
                                                 moment.equals == 1 ? "s" : "")
                                   : "");
        }
        if (again) {
            line(1, "offered again at {}", sim::time_text(*again));
        }
        tell_shortages();
        for (const kueue::ResourceGroup* group : inquiry_.groups()) {
            for (const kueue::FlavorId flavor : group->flavors) {
                if (inquiry_.has_topology(flavor)) {
                    tell_topology(flavor);
                }
            }
        }
    }

private:
    template <class... Arguments>
    void line(std::size_t indent, fmt::format_string<Arguments...> form, Arguments&&... values) {
        scene_.own.lines.line(indent, form, std::forward<Arguments>(values)...);
    }
    [[nodiscard]] std::string text(kueue::ResourceId resource, core::Amount amount) const {
        return kueue::format_amount(names_[resource], amount);
    }

    /// The resources that are short, flavor by flavor. A group that may start with fewer members
    /// asks for the requests of those.
    void tell_shortages() {
        const kueue::PodSet& pods = inquiry_.asked().pod_sets.front();
        const bool shrinks = cache_.gate(kueue::FeatureGate::partial_admission);
        const kueue::ResourceAmounts asks =
            inquiry_.requests(inquiry_.asked(), shrinks ? pods.min_count : pods.count);
        for (const kueue::ResourceGroup* group : inquiry_.groups()) {
            for (const kueue::FlavorId flavor : group->flavors) {
                for (const kueue::ResourceId resource : group->resources) {
                    const auto asked = asks.find(resource);
                    if (asked == asks.end()) {
                        continue;
                    }
                    Shortage need{{flavor, resource}, asked->second, {}, {}};
                    need.path = quota_path(tree_, inquiry_.queue(), need.what, need.asked);
                    need.refusing = std::ranges::find_if(need.path, [](const QuotaStep& step) {
                        return step.refusal != QuotaRefusal::none;
                    });
                    if (need.refusing != need.path.end()) {
                        tell_shortage(need);
                        scene_.held.push_back(holders(need));
                    }
                }
            }
        }
    }

    void tell_shortage(const Shortage& need) {
        const std::string& resource = names_[need.what.resource];
        const std::string& flavor = names_[need.what.flavor];
        const core::Amount potential = tree_.potential(inquiry_.queue(), need.what);
        const std::string most = text(need.what.resource, potential);
        const std::string asked = text(need.what.resource, need.asked);
        const std::string available = text(need.what.resource, need.path.front().available);
        line(1,
             "{} of flavor {}: it asks for {}, {} could be had{}",
             resource,
             flavor,
             asked,
             available,
             need.asked > potential
                 ? fmt::format(", and no more than {} if nothing were used", most)
                 : "");
        row("", "", "nominal", "borrows<=", "lends<=", "used", "borrowed", "available", "");
        Json quotas = Json::array();
        for (auto step = need.path.begin(); step != need.path.end(); ++step) {
            quotas.push_back(
                quota(*step, need.what, true, step == need.refusing ? refusal(need) : ""));
        }
        for (const QuotaStep& step : borrowers(need)) {
            quotas.push_back(quota(step, need.what, false, ""));
        }
        scene_.own.json["shortages"].push_back({{"flavor", flavor},
                                                {"resource", resource},
                                                {"asked", asked},
                                                {"available", available},
                                                {"most", most},
                                                {"quotas", std::move(quotas)}});
    }

    [[nodiscard]] std::string refusal(const Shortage& need) const {
        const std::string asked = text(need.what.resource, need.refusing->asked);
        return need.refusing->refusal == QuotaRefusal::borrowing_limit
                   ? fmt::format("its borrowingLimit refuses {}", asked)
                   : fmt::format("it has no {} left", asked);
    }

    template <class... Cells>
    void row(const Cells&... cells) {
        std::string line =
            fmt::format("{:<7} {:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}", cells...);
        line.erase(line.find_last_not_of(' ') + 1);
        this->line(2, "{}", line);
    }

    /// A ClusterQueue or Cohort, in one resource of one flavor: on the way from the job's
    /// ClusterQueue to the root, or one beside it that borrows.
    Json quota(const QuotaStep& step,
               kueue::FlavorResource what,
               bool above,
               const std::string& refuses) {
        const auto amount = [&](std::optional<core::Amount> one) {
            return one ? text(what.resource, *one) : "";
        };
        const auto limit = [&](std::optional<core::Amount> one) { return one ? amount(one) : "-"; };
        const bool cohort = step.node.index >= cache_.queue_count();
        row(above ? (cohort ? "Cohort" : "Queue") : "beside",
            tree_.name(step.node),
            amount(step.quota.nominal),
            limit(step.quota.borrowing_limit),
            limit(step.quota.lending_limit),
            amount(step.used),
            amount(step.borrowed()),
            amount(step.available),
            refuses.empty() ? "" : "<- " + refuses);
        return {{cohort ? "cohort" : "queue", tree_.name(step.node)},
                {"above", above},
                {"nominal", amount(step.quota.nominal)},
                {"borrowing_limit", amount(step.quota.borrowing_limit)},
                {"lending_limit", amount(step.quota.lending_limit)},
                {"used", amount(step.used)},
                {"borrowed", amount(step.borrowed())},
                {"available", amount(step.available)},
                {"refuses", refuses}};
    }

    /// The nodes beside the way up that use the most beyond their own quota.
    [[nodiscard]] std::vector<QuotaStep> borrowers(const Shortage& need) const {
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
    [[nodiscard]] HeldPlace holders(const Shortage& need) const {
        const QuotaNode node = need.refusing->node;
        const kueue::ResourceId resource = need.what.resource;
        HeldPlace place{fmt::format("{} of {} in {} {}",
                                    names_[resource],
                                    names_[need.what.flavor],
                                    node.index < cache_.queue_count() ? "ClusterQueue" : "Cohort",
                                    tree_.name(node)),
                        fmt::format("(it asks for {}, {} could be had)",
                                    text(resource, need.asked),
                                    text(resource, need.path.front().available))};
        std::vector<RankedHolder> ranked;
        for (const sim::KueueMoment::Holder& holder : inquiry_.moment().held) {
            const kueue::Workload& workload = holder.workload;
            const kueue::FlavorResourceAmounts usage = workload.usage();
            const auto amount = usage.find(need.what);
            if (amount != usage.end() && amount->second > 0 &&
                tree_.is_below(*workload.queue, node)) {
                ranked.push_back(
                    {amount->second,
                     {workload.name,
                      workload.queue_name,
                      static_cast<core::Members>(workload.totals.front().count),
                      fmt::format("{} {}", names_[resource], text(resource, amount->second)),
                      "",
                      std::chrono::seconds(workload.reserved->seconds)}});
            }
        }
        keep_largest(std::move(ranked), place);
        return place;
    }

    void tell_topology(kueue::FlavorId flavor) {
        constexpr const char* form = "{:<12} {:<34} {:<10} {:>10} {:>8}  {}";
        const kueue::PodSet& pods = inquiry_.asked().pod_sets.front();
        const sim::FlavorTopology& topology = inquiry_.moment().settings.topologies.at(flavor);
        const core::Topology& tree = turn_.ledger.topology();
        const std::vector<kueue::LevelOfRoom> rooms = inquiry_.rooms(flavor);
        if (scene_.own.json["levels"].empty() && !rooms.empty()) {
            line(2, form, "flavor", "level", "asked", "with room", "of", "most pods in one");
        }
        for (std::size_t i = 0; i < rooms.size(); ++i) {
            const kueue::LevelOfRoom& room = rooms[i];
            const core::NodeId best =
                tree.ancestor(tree.node_of(room.server), topology.levels.at(i));
            const std::string path(tree.path(best));
            const bool required = pods.topology && pods.topology->required == room.label;
            const bool preferred = pods.topology && pods.topology->preferred == room.label;
            const char* const asked = required ? "required" : preferred ? "preferred" : "";
            line(2,
                 form,
                 names_[flavor],
                 room.label,
                 asked,
                 room.with_room,
                 room.domains,
                 fmt::format("{} in {}", room.most, path));
            scene_.own.json["levels"].push_back({{"flavor", names_[flavor]},
                                                 {"level", room.label},
                                                 {"asked", asked},
                                                 {"domains", room.domains},
                                                 {"with_room", room.with_room},
                                                 {"most", room.most},
                                                 {"best", path}});
            if (required && room.most < pods.min_count) {
                scene_.held.push_back(who_holds_below(turn_, best, turn_.record.job.demand));
                scene_.held.back().lacking =
                    fmt::format("has room for {} of {} pods", room.most, pods.count);
            }
        }
    }

    const sim::Turn& turn_;
    const KueueInquiry& inquiry_;
    const kueue::Cache& cache_;
    const kueue::QuotaTree& tree_;
    const kueue::Names& names_;
    Scene& scene_;
};

}  // namespace

extern constinit const SchedulerWhy kueue_why;
constinit const SchedulerWhy kueue_why{
    "kueue", [](const sim::Turn& turn, sim::Inquiry& inquiry, Scene& scene) {
        auto* const kueue = dynamic_cast<KueueInquiry*>(&inquiry);
        if (kueue == nullptr) {
            return false;
        }
        KueueTeller(turn, *kueue, scene).tell();
        scene.changes = find_kueue_changes(turn, *kueue);
        return true;
    }};

}  // namespace berth::experiments
