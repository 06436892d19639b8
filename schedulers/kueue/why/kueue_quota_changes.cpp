/// Changes of Kueue's quotas: how much more would have to be given, lent or borrowed.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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
using sim::KueueAnswer;
using sim::KueueWhatIf;

enum class Field : std::uint8_t { nominal, borrowing_limit, lending_limit };

/// An amount of a node that is raised, up to `to`.
struct Raised {
    QuotaNode node;
    FlavorResource what;
    Field field = Field::nominal;
    Amount from = 0;
    Amount to = 0;
};

const char* word_of(Field field) {
    return field == Field::nominal           ? "nominalQuota"
           : field == Field::borrowing_limit ? "borrowingLimit"
                                             : "lendingLimit";
}

/// Raises of one kind that are tried together.
class QuotaRaise {
public:
    QuotaRaise(const Question& question, const char* kind, std::vector<Raised> raises)
        : question_(question),
          kind_(kind),
          raises_(std::move(raises)),
          tree_(question.inquiry.cache().tree()),
          names_(question.inquiry.cache().names()) {}

    /// Adds the smallest raises with which the job is admitted. If that preempts others, it also
    /// adds the smallest ones with which the job is admitted at once. Returns whether there are
    /// any.
    bool find(Changes& out) {
        const std::vector<Raised> most = raises_;
        if (raises_.empty()) {
            return false;
        }
        bool any = false;
        for (const Wanted wanted : {Wanted::in_the_end, Wanted::at_once}) {
            raises_ = most;
            if (!is_enough(ask(), wanted)) {
                break;
            }
            for (Raised& raised : raises_) {
                lower(raised, wanted);
            }
            std::erase_if(raises_, [](const Raised& raised) { return raised.from == raised.to; });
            const KueueAnswer answer = ask();
            note(answer, out);
            any = true;
            if (answer.outcome == KueueAnswer::Outcome::admitted) {
                break;
            }
        }
        return any;
    }

private:
    /// Lowers one raise to the least that is enough, while the others stay.
    void lower(Raised& raised, Wanted wanted) {
        Amount low = raised.from;
        Amount high = std::exchange(raised.to, low);
        if (is_enough(ask(), wanted)) {
            return;
        }
        while (high - low > 1) {
            raised.to = low + (high - low) / 2;
            (is_enough(ask(), wanted) ? high : low) = raised.to;
        }
        raised.to = high;
    }

    [[nodiscard]] KueueAnswer ask() const {
        KueueWhatIf change;
        change.retries = true;
        for (const Raised& raised : raises_) {
            if (raised.to == raised.from) {
                continue;
            }
            kueue::Quotas& quotas =
                change.quotas.try_emplace(raised.node, question_.inquiry.quotas(raised.node))
                    .first->second;
            Quota& quota = quotas[raised.what];
            (raised.field == Field::nominal           ? quota.nominal
             : raised.field == Field::borrowing_limit ? quota.borrowing_limit.emplace()
                                                      : quota.lending_limit.emplace()) = raised.to;
        }
        return question_.inquiry.ask(change);
    }

    void note(const KueueAnswer& answer, Changes& out) const {
        std::vector<std::string> texts;
        kueue::ResourceAmounts more;
        nlohmann::ordered_json quotas = nlohmann::ordered_json::array();
        for (const Raised& raised : raises_) {
            const bool is_queue = raised.node.index < question_.inquiry.cache().queue_count();
            const std::string& resource = names_[raised.what.resource];
            const std::string& flavor = names_[raised.what.flavor];
            const std::string& name = tree_.name(raised.node);
            const std::string from = kueue::format_amount(resource, raised.from);
            const std::string to = kueue::format_amount(resource, raised.to);
            texts.push_back(fmt::format("{} of {} of {} in {} {} is {} instead of {}",
                                        word_of(raised.field),
                                        resource,
                                        flavor,
                                        is_queue ? "ClusterQueue" : "Cohort",
                                        name,
                                        to,
                                        from));
            quotas.push_back({{is_queue ? "queue" : "cohort", name},
                              {"flavor", flavor},
                              {"resource", resource},
                              {"field", word_of(raised.field)},
                              {"from", from},
                              {"to", to}});
            const Amount added = raised.to - raised.from;
            more[raised.what.resource] = std::max(more[raised.what.resource], added);
        }
        add(core::join(texts, ", and "),
            share_of(question_, more),
            {{"kind", kind_}, {"quotas", std::move(quotas)}},
            answer,
            out);
    }

    const Question& question_;
    const char* kind_;
    std::vector<Raised> raises_;
    const kueue::QuotaTree& tree_;
    const kueue::Names& names_;
};

class LargerQuotas {
public:
    explicit LargerQuotas(const Question& question)
        : question_(question), inquiry_(question.inquiry), tree_(question.inquiry.cache().tree()) {}

    void find(Changes& out) const {
        bool nominal = false;
        std::vector<FlavorResource> all;
        for (const kueue::ResourceGroup* group : inquiry_.groups()) {
            for (const kueue::FlavorId flavor : group->flavors) {
                const std::vector<FlavorResource> what = short_of(question_, *group, flavor);
                nominal = own_quota(what, out) || nominal;
                limits_on_the_way(what, out);
                cohorts_on_the_way(what, out);
                lent_by_others(what, out);
                all.insert(all.end(), what.begin(), what.end());
            }
        }
        if (!nominal && inquiry_.groups().size() > 1) {
            (void)own_quota(all, out);  // flavors of several groups at once
        }
    }

private:
    bool own_quota(const std::vector<FlavorResource>& what, Changes& out) const {
        std::vector<Raised> raises;
        for (const FlavorResource one : what) {
            raise(inquiry_.queue(), one, Field::nominal, raises);
        }
        return QuotaRaise(question_, "nominal-quota", std::move(raises)).find(out);
    }

    void limits_on_the_way(const std::vector<FlavorResource>& what, Changes& out) const {
        std::vector<Raised> raises;
        for (const FlavorResource one : what) {
            for (std::optional<QuotaNode> node = inquiry_.queue(); node;
                 node = tree_.parent(*node)) {
                raise(*node, one, Field::borrowing_limit, raises);
            }
        }
        (void)QuotaRaise(question_, "borrowing-limit", std::move(raises)).find(out);
    }

    void cohorts_on_the_way(const std::vector<FlavorResource>& what, Changes& out) const {
        for (auto node = tree_.parent(inquiry_.queue()); node; node = tree_.parent(*node)) {
            std::vector<Raised> raises;
            for (const FlavorResource one : what) {
                raise(*node, one, Field::nominal, raises);
            }
            (void)QuotaRaise(question_, "cohort-quota", std::move(raises)).find(out);
        }
    }

    /// Tries each other node alone; if none is enough, all of them together.
    void lent_by_others(const std::vector<FlavorResource>& what, Changes& out) const {
        std::vector<Raised> all;
        bool any = false;
        for (std::uint32_t i = 0; i < tree_.size(); ++i) {
            const QuotaNode node{i};
            if (tree_.root(node) != tree_.root(inquiry_.queue()) ||
                tree_.is_below(inquiry_.queue(), node)) {
                continue;
            }
            std::vector<Raised> raises;
            for (const FlavorResource one : what) {
                raise(node, one, Field::lending_limit, raises);
            }
            all.insert(all.end(), raises.begin(), raises.end());
            any = QuotaRaise(question_, "lending-limit", std::move(raises)).find(out) || any;
        }
        if (!any) {
            (void)QuotaRaise(question_, "lending-limit", std::move(all)).find(out);
        }
    }

    /// Adds a raise up to an amount that is surely enough. A limit is only raised if it is set.
    void raise(QuotaNode node,
               FlavorResource what,
               Field field,
               std::vector<Raised>& raises) const {
        const Quota quota = tree_.quota(node, what);
        const std::optional<Amount> from = field == Field::nominal ? std::optional(quota.nominal)
                                           : field == Field::borrowing_limit ? quota.borrowing_limit
                                                                             : quota.lending_limit;
        if (!from) {
            return;
        }
        // A node lends its own quota, so it cannot lend more than that.
        const Amount to = field == Field::lending_limit ? tree_.total(node, what)
                                                        : kueue::plus(*from, enough(what));
        if (to > *from && to != kueue::unlimited) {
            raises.push_back({node, what, field, *from, to});
        }
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
};

}  // namespace

void larger_quotas(const Question& question, Changes& out) {
    LargerQuotas(question).find(out);
}

}  // namespace berth::experiments::kueue_changes
