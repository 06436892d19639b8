/// How much more its quota would have to be.

#include <fmt/format.h>

#include <algorithm>

#include "experiments/why/changes.hpp"
#include "experiments/why/trial.hpp"

namespace berth::experiments::changes {
namespace {

using core::Amount;

/// What of a quota is raised.
struct Raise {
    bool min = false;
    bool max = false;
};

core::Quantity quantity(const core::ResourceSchema& schema, std::size_t r, Amount amount) {
    return static_cast<core::Quantity>(amount) * (1'000'000'000 / schema.per_unit(r));
}

class QuotaRaise {
public:
    QuotaRaise(const sim::Turn& turn, const core::QuotaRefusal& refusal, Raise raise)
        : turn_(turn),
          schema_(turn.ledger.topology().resources()),
          trees_(turn.quotas->trees()),
          quota_(refusal.quota),
          raise_(raise) {
        const sim::Job& job = turn.record.job;
        const bool fixed = refusal.reason == core::QuotaRefusal::Reason::min;
        core::for_each_resource(refusal.exceeded, [&](std::size_t r) {
            const Amount used =
                fixed ? trees_.non_preemptible_used(quota_, r) : trees_.used(quota_, r);
            targets_[r] = used + job.demand[r] * job.min_available;
        });
    }

    /// Adds the least with which the job starts, if there is any.
    void find(Changes& out) {
        if (!starts()) {
            return;
        }
        for (auto& [r, target] : targets_) {
            const Amount enough = target;
            Amount low =
                std::min(raise_.min ? now(r, false) : enough, raise_.max ? now(r, true) : enough) -
                1;
            Amount high = enough;
            while (high - low > 1) {
                target = low + (high - low) / 2;
                (starts() ? high : low) = target;
            }
            target = high;
        }
        add(out);
    }

private:
    [[nodiscard]] Amount now(std::size_t r, bool max) const {
        const core::QuotaSpec& spec = trees_.spec(quota_);
        return max ? spec.max[r] : spec.min[r];
    }
    [[nodiscard]] bool raises(std::size_t r, bool max) const {
        return (max ? raise_.max : raise_.min) && targets_.at(r) > now(r, max);
    }
    [[nodiscard]] core::Quantities amounts(bool max) const {
        core::Quantities out;
        for (const auto& [r, target] : targets_) {
            if (raises(r, max)) {
                out[schema_.name(r)] = quantity(schema_, r, target);
            }
        }
        return out;
    }
    [[nodiscard]] bool starts() const {
        sim::QuotaManager quotas(*turn_.quotas);
        sim::QuotaPatch patch{.name = trees_.name(quota_),
                              .min = {},
                              .max = {},
                              .shared_weight = {},
                              .parent = {},
                              .allow_lent_resource = {}};
        patch.min = amounts(false);
        patch.max = amounts(true);
        const auto none = [](const std::string&) { return std::size_t{0}; };
        return !quotas.apply({turn_.at, std::move(patch)}, none) && lets_in_with(turn_, quotas);
    }
    void add(Changes& out) const {
        std::vector<std::string> parts;
        std::vector<Amount> more(schema_.size(), 0);
        nlohmann::ordered_json what{{"kind", "quota"}, {"quota", trees_.name(quota_)}};
        for (const bool max : {false, true}) {
            for (const auto& [r, target] : targets_) {
                if (!raises(r, max)) {
                    continue;
                }
                const char* name = max ? "max" : "min";
                parts.push_back(fmt::format("{} of {} is {} instead of {}",
                                            name,
                                            schema_.name(r),
                                            schema_.format(r, target),
                                            schema_.format(r, now(r, max))));
                more[r] = std::max(more[r], target - now(r, max));
                what[name][schema_.name(r)] = schema_.format(r, target);
            }
        }
        out.found.push_back(
            {fmt::format("quota {}: {}", trees_.name(quota_), fmt::join(parts, ", ")),
             share_of_cluster(turn_.ledger, more, 1),
             std::move(what)});
    }

    const sim::Turn& turn_;
    const core::ResourceSchema& schema_;
    const core::QuotaTrees& trees_;
    core::QuotaId quota_;
    Raise raise_;
    std::map<std::size_t, Amount> targets_;  ///< By resource that is exceeded.
};

}  // namespace

void larger_quota(const Question& question, Changes& out) {
    const sim::Turn& turn = question.turn;
    if (question.finding.stage != WhyStage::quota) {
        return;
    }
    const auto refusal =
        turn.quotas->refusal(turn.quota, turn.record.job, turn.record.job.min_available);
    if (turn.quotas->trees().is_special(refusal->quota)) {
        out.untried.emplace_back("a larger max of the default group");
        return;
    }
    const std::size_t before = out.found.size();
    QuotaRaise(turn, *refusal, {.min = true, .max = false}).find(out);
    QuotaRaise(turn, *refusal, {.min = false, .max = true}).find(out);
    if (out.found.size() == before) {
        QuotaRaise(turn, *refusal, {.min = true, .max = true}).find(out);
    }
}

}  // namespace berth::experiments::changes
