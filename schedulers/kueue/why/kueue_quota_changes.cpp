/// Changes of Kueue's quotas: how much more would have to be given, lent or borrowed.

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "schedulers/kueue/decide/assignment.hpp"
#include "schedulers/kueue/why/kueue_changes.hpp"

namespace berth::experiments::kueue_changes {
namespace {

namespace kueue = core::kueue;

using core::Amount;
using kueue::FlavorResource;
using kueue::Quota;
using kueue::QuotaNode;

enum class Field : std::uint8_t { nominal, borrowing_limit, lending_limit };

/// An amount of a node that is raised.
struct Raised {
    QuotaNode node;
    FlavorResource what;
    Field field = Field::nominal;
    Knob::Range range{};
};

const char* word_of(Field field) {
    return field == Field::nominal           ? "nominalQuota"
           : field == Field::borrowing_limit ? "borrowingLimit"
                                             : "lendingLimit";
}

class LargerQuotas {
public:
    explicit LargerQuotas(const Question& question)
        : question_(question), inquiry_(question.inquiry), tree_(question.inquiry.cache().tree()) {
        for (std::optional<QuotaNode> node = inquiry_.queue(); node; node = tree_.parent(*node)) {
            way_up_.push_back(*node);
        }
    }

    void try_all() const {
        bool nominal = false;
        std::vector<FlavorResource> all;
        for (const kueue::ResourceGroup* group : inquiry_.groups()) {
            for (const kueue::FlavorId flavor : group->flavors) {
                const std::vector<FlavorResource> what = short_of(question_, *group, flavor);
                nominal = own_quota(what) || nominal;
                turn("borrowing-limit", raises(Field::borrowing_limit, way_up_, what));
                for (std::size_t i = 1; i < way_up_.size(); ++i) {
                    turn("cohort-quota", raises(Field::nominal, {way_up_[i]}, what));
                }
                lent_by_others(what);
                all.insert(all.end(), what.begin(), what.end());
            }
        }
        if (!nominal && inquiry_.groups().size() > 1) {
            own_quota(all);  // flavors of several groups at once
        }
    }

private:
    using Raises = std::vector<Raised>;

    bool own_quota(const std::vector<FlavorResource>& what) const {
        return turn("nominal-quota", raises(Field::nominal, {inquiry_.queue()}, what));
    }

    /// Tries each other node alone; if none is enough, all of them together.
    void lent_by_others(const std::vector<FlavorResource>& what) const {
        Raises all;
        bool any = false;
        for (std::uint32_t i = 0; i < tree_.size(); ++i) {
            const QuotaNode node{i};
            if (tree_.root(node) != tree_.root(inquiry_.queue()) ||
                tree_.is_below(inquiry_.queue(), node)) {
                continue;
            }
            const Raises alone = raises(Field::lending_limit, {node}, what);
            all.insert(all.end(), alone.begin(), alone.end());
            any = turn("lending-limit", alone) || any;
        }
        if (!any) {
            turn("lending-limit", all);
        }
    }

    /// Tries raises together. Returns whether the job is admitted with them.
    bool turn(const char* kind, const Raises& raises) const {
        Knob knob{{},
                  [&](const Amounts& amounts) { return ask(raises, amounts); },
                  [&](const Amounts& amounts) { return change(kind, raises, amounts); }};
        std::ranges::transform(raises, std::back_inserter(knob.ranges), &Raised::range);
        return !raises.empty() && question_.search.turn(knob);
    }

    [[nodiscard]] sim::Answer ask(const Raises& raises, const Amounts& amounts) const {
        std::map<QuotaNode, kueue::Quotas> changed;
        for (std::size_t i = 0; i < raises.size(); ++i) {
            const Raised& raised = raises[i];
            if (amounts[i] != raised.range.from) {
                const auto node = changed.try_emplace(raised.node, inquiry_.quotas(raised.node));
                Quota& quota = node.first->second[raised.what];
                (raised.field == Field::nominal           ? quota.nominal
                 : raised.field == Field::borrowing_limit ? quota.borrowing_limit.emplace()
                                                          : quota.lending_limit.emplace()) =
                    amounts[i];
            }
        }
        return inquiry_.ask({.quotas = std::move(changed), .retries = true});
    }

    [[nodiscard]] Change change(const char* kind,
                                const Raises& raises,
                                const Amounts& amounts) const {
        const kueue::Cache& cache = inquiry_.cache();
        std::vector<std::string> texts;
        kueue::ResourceAmounts more;
        nlohmann::ordered_json quotas = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < raises.size(); ++i) {
            const Raised& raised = raises[i];
            const Amount added = amounts[i] - raised.range.from;
            if (added == 0) {
                continue;
            }
            const bool is_queue = raised.node.index < cache.queue_count();
            const std::string& resource = cache.names()[raised.what.resource];
            const nlohmann::ordered_json quota{
                {is_queue ? "queue" : "cohort", tree_.name(raised.node)},
                {"flavor", cache.names()[raised.what.flavor]},
                {"resource", resource},
                {"field", word_of(raised.field)},
                {"from", kueue::format_amount(resource, raised.range.from)},
                {"to", kueue::format_amount(resource, amounts[i])}};
            texts.push_back(worded(is_queue ? "{field} of {resource} of {flavor} in ClusterQueue "
                                              "{queue} is {to} instead of {from}"
                                            : "{field} of {resource} of {flavor} in Cohort "
                                              "{cohort} is {to} instead of {from}",
                                   quota));
            quotas.push_back(quota);
            more[raised.what.resource] = std::max(more[raised.what.resource], added);
        }
        return {core::join(texts, ", and "),
                {{"kind", kind}, {"quotas", std::move(quotas)}},
                question_.search.share(amounts_of(question_, more))};
    }

    /// Raises up to amounts that are surely enough. A limit is only raised if it is set.
    [[nodiscard]] Raises raises(Field field,
                                const std::vector<QuotaNode>& nodes,
                                const std::vector<FlavorResource>& resources) const {
        Raises out;
        for (const FlavorResource what : resources) {
            for (const QuotaNode node : nodes) {
                const Quota quota = tree_.quota(node, what);
                const std::optional<Amount> from =
                    field == Field::nominal           ? std::optional(quota.nominal)
                    : field == Field::borrowing_limit ? quota.borrowing_limit
                                                      : quota.lending_limit;
                // A node lends its own quota, so it cannot lend more than that.
                const Amount to = field == Field::lending_limit
                                      ? tree_.total(node, what)
                                      : kueue::plus(from.value_or(0), enough(what));
                if (from && to > *from && to != kueue::unlimited) {
                    out.push_back({node, what, field, {*from, to}});
                }
            }
        }
        return out;
    }

    /// Everything that is in use in the tree, plus everything that waiting jobs ask for.
    [[nodiscard]] Amount enough(FlavorResource what) const {
        const QuotaNode root = tree_.root(inquiry_.queue());
        const auto asks = [&](const kueue::Workload& workload) {
            const kueue::ResourceAmounts& requests = workload.totals.front().requests;
            const auto amount = requests.find(what.resource);
            return amount == requests.end() ? workload.pod_sets.front().count : amount->second;
        };
        Amount sum = kueue::plus(tree_.usage(root, what), asks(inquiry_.asked()));
        for (const sim::KueueMoment::Holder& holder : inquiry_.moment().held) {
            const kueue::FlavorResourceAmounts usage = holder.workload.usage();
            const auto amount = usage.find(what);
            sum = kueue::plus(sum, amount == usage.end() ? 0 : amount->second);
        }
        for (const sim::KueueMoment::Waiter& other : inquiry_.moment().others) {
            sum = kueue::plus(sum, asks(other.workload));
        }
        return sum;
    }

    const Question& question_;
    sim::KueueInquiry& inquiry_;
    const kueue::QuotaTree& tree_;
    std::vector<QuotaNode> way_up_;  ///< From its ClusterQueue to the root.
};

}  // namespace

void larger_quotas(const Question& question) {
    LargerQuotas(question).try_all();
}

}  // namespace berth::experiments::kueue_changes
