/// Changes of quotas: how much larger the job's quota, or one above it, would have to be.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/why/profile_changes.hpp"
#include "experiments/program/why/trial.hpp"

namespace berth::experiments::changes {
namespace {

using core::Amount;
using core::QuotaId;
using AmountsByResource = std::map<std::size_t, Amount>;

/// The amounts of a quota that are raised.
struct Raise {
    bool min = false;
    bool max = false;
};

/// The new amounts of one quota.
struct Patch {
    QuotaId quota;
    AmountsByResource min;
    AmountsByResource max;
};

class QuotaRaise {
public:
    /// `most`: the amounts up to which the quota is raised.
    QuotaRaise(const Question& question, QuotaId quota, Raise raise, const AmountsByResource& most)
        : question_(question),
          turn_(question.turn),
          schema_(turn_.ledger.topology().resources()),
          trees_(turn_.quotas->trees()),
          quota_(quota),
          raise_(raise),
          most_(most) {}

    /// Tries the raise. Returns whether the job starts with it.
    bool try_it() const {
        Knob knob{{},
                  [&](const Amounts& amounts) { return ask(patches(amounts)); },
                  [&](const Amounts& amounts) { return change(patches(amounts)); }};
        for (const auto& [r, most] : most_) {
            const Amount least = std::min({most,
                                           raise_.min ? now(quota_, r, false) : most,
                                           raise_.max ? now(quota_, r, true) : most});
            knob.ranges.push_back({least - 1, most});  // as it is now, it may be enough
        }
        return question_.search.turn(knob);
    }

private:
    [[nodiscard]] Amount now(QuotaId quota, std::size_t r, bool max) const {
        const core::QuotaSpec& spec = trees_.spec(quota);
        return max ? spec.max[r] : spec.min[r];
    }

    /// The new amounts of the quota, then those of the quotas above it, whose min must cover those
    /// of their children.
    [[nodiscard]] std::vector<Patch> patches(const Amounts& amounts) const {
        std::vector<Patch> out{{quota_, {}, {}}};
        auto target = amounts.begin();
        for (const auto& [r, most] : most_) {
            for (const bool max : {false, true}) {
                if ((max ? raise_.max : raise_.min) && *target > now(quota_, r, max)) {
                    (max ? out.front().max : out.front().min).emplace(r, *target);
                }
            }
            ++target;
        }
        for (QuotaId above = trees_.parent(quota_); !trees_.is_root(above);
             above = trees_.parent(above)) {
            const Patch below = out.back();
            Patch patch{above, {}, {}};
            for (const auto& [r, amount] : below.min) {
                Amount sum = amount - now(below.quota, r, false);
                for (const QuotaId child : trees_.children(above)) {
                    sum += now(child, r, false);
                }
                if (sum > now(above, r, false)) {
                    patch.min.emplace(r, sum);
                }
            }
            if (patch.min.empty()) {
                break;
            }
            out.push_back(std::move(patch));
        }
        return out;
    }

    [[nodiscard]] core::Quantities quantities(const AmountsByResource& amounts) const {
        core::Quantities out;
        for (const auto& [r, amount] : amounts) {
            out[schema_.name(r)] =
                static_cast<core::Quantity>(amount) * (1'000'000'000 / schema_.per_unit(r));
        }
        return out;
    }

    [[nodiscard]] sim::Answer ask(const std::vector<Patch>& patches) const {
        sim::QuotaManager quotas(*turn_.quotas);
        // At each step, a parent must have room for its children's min.
        for (const Patch& one : std::views::reverse(patches)) {
            sim::QuotaPatch patch;
            patch.name = trees_.name(one.quota);
            patch.min = quantities(one.min);
            patch.max = quantities(one.max);
            const auto no_jobs = [](const std::string&) { return std::size_t{0}; };
            if (quotas.apply({turn_.at, std::move(patch)}, no_jobs)) {
                return {};  // the rules for quotas do not allow it
            }
        }
        return ask_with(turn_, quotas);
    }

    [[nodiscard]] Change change(const std::vector<Patch>& patches) const {
        std::vector<std::string> texts;
        std::vector<Amount> most(schema_.size(), 0);
        nlohmann::ordered_json quotas = nlohmann::ordered_json::array();
        for (const Patch& patch : patches) {
            std::vector<std::string> parts;
            nlohmann::ordered_json one{{"quota", trees_.name(patch.quota)}};
            for (const bool max : {false, true}) {
                const char* name = max ? "max" : "min";
                for (const auto& [r, amount] : max ? patch.max : patch.min) {
                    const Amount before = now(patch.quota, r, max);
                    parts.push_back(fmt::format("{} of {} is {} instead of {}",
                                                name,
                                                schema_.name(r),
                                                schema_.format(r, amount),
                                                schema_.format(r, before)));
                    most[r] = std::max(most[r], amount - before);
                    one[name][schema_.name(r)] = schema_.format(r, amount);
                }
            }
            texts.push_back(
                fmt::format("quota {}: {}", trees_.name(patch.quota), core::join(parts, ", ")));
            quotas.push_back(std::move(one));
        }
        return {core::join(texts, "; with it "),
                {{"kind", "quota"}, {"quotas", std::move(quotas)}},
                question_.search.share(most)};
    }

    const Question& question_;
    const sim::Turn& turn_;
    const core::ResourceSchema& schema_;
    const core::QuotaTrees& trees_;
    QuotaId quota_;
    Raise raise_;
    const AmountsByResource& most_;
};

}  // namespace

void larger_quota(const Question& question) {
    const sim::Turn& turn = question.turn;
    if (question.finding.stage != WhyStage::quota) {
        return;
    }
    const sim::Job& job = turn.record.job;
    const core::QuotaTrees& trees = turn.quotas->trees();
    const auto refusal = turn.quotas->refusal(turn.quota, job, job.min_available);
    if (trees.is_special(refusal->quota)) {
        question.search.not_tried("a larger max of the default group");
        return;
    }
    const bool fixed = refusal->reason == core::QuotaRefusal::Reason::min;
    for (QuotaId quota = refusal->quota; !trees.is_root(quota); quota = trees.parent(quota)) {
        AmountsByResource most;
        core::for_each_resource(refusal->exceeded, [&](std::size_t r) {
            const Amount used = fixed ? trees.non_preemptible_used(quota, r) : trees.used(quota, r);
            const Amount enough = used + job.demand[r] * job.min_available;
            // If a quota above gets more, other quotas below it may get a part of that.
            most[r] =
                quota == refusal->quota ? enough : std::max(enough, trees.child_request(quota, r));
        });
        const bool min = QuotaRaise(question, quota, {true, false}, most).try_it();
        const bool max = QuotaRaise(question, quota, {false, true}, most).try_it();
        if (!min && !max) {
            QuotaRaise(question, quota, {true, true}, most).try_it();
        }
    }
}

}  // namespace berth::experiments::changes
