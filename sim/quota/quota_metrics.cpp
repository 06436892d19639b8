#include "sim/quota/quota_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/support/assert.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/members.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::QuotaId;
using core::QuotaTrees;

/// Adds the wait of a job's member; a member that its group started without counts as never
/// started. `now` matters only for a member that waits.
void add_wait(CensoredSample& waits, const Member& member, SimTime now) {
    if (member.stint != nullptr) {
        waits.ended(seconds(member.waited()));
    } else if (member.outcome == Outcome::waiting) {
        waits.going_on(seconds(member.waited_by(now)));
    } else {
        waits.never();
    }
    waits.never_started(member.ever_started() ? 0 : 1);
}

constexpr double seconds_per_hour = 3600;

}  // namespace

std::optional<double> jain_index(const std::vector<double>& values) {
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    return squares > 0 ? std::optional(sum * sum / (static_cast<double>(values.size()) * squares))
                       : std::nullopt;
}

QuotaMetrics::QuotaMetrics(QuotaManager& quotas,
                           const core::Ledger& ledger,
                           Window window,
                           bool has_drains)
    : quotas_(quotas), ledger_(ledger), window_(window), causes_told_(causes_told(has_drains)) {
    all_changed(SimTime(0));
}

/// The largest share of any resource of the cluster that a quota uses, or asks its parent for.
double QuotaMetrics::share_of(QuotaId quota, bool asked) const {
    const QuotaTrees& trees = quotas_.trees();
    const auto capacity = ledger_.capacity(ledger_.topology().root());
    double share = 0;
    for (std::size_t r = 0; r < trees.resource_count(); ++r) {
        const Amount amount = asked ? trees.limited_request(quota, r) : trees.used(quota, r);
        if (capacity[r] > 0) {
            share = std::max(share, static_cast<double>(amount) / static_cast<double>(capacity[r]));
        }
    }
    return share;
}

/// Whether pods wait although the quota asks for all of its min of some resource and uses less.
bool QuotaMetrics::is_violated(QuotaId quota) const {
    const QuotaTrees& trees = quotas_.trees();
    if (quotas_.waiting_pods(quota) == 0) {
        return false;
    }
    for (std::size_t r = 0; r < trees.resource_count(); ++r) {
        const Amount min = trees.spec(quota).min[r];
        if (min > 0 && trees.child_request(quota, r) >= min && trees.used(quota, r) < min) {
            return true;
        }
    }
    return false;
}

void QuotaMetrics::settle_quota(QuotaId quota, SimTime now) {
    const QuotaTrees& trees = quotas_.trees();
    Sums& sums = sums_[quota.index];
    BERTH_ASSERT(now >= sums.since, "time never goes back");
    const double passed = seconds(window_.part_of(sums.since, now));
    sums.since = now;
    sums.dominant_share_s += sums.dominant_share * passed;
    sums.asked_share_s += sums.asked_share * passed;
    sums.violated_s += sums.violated ? passed : 0;
    // A deleted quota asks for nothing, and keeps the sums that it had until then.
    const bool exists = trees.exists(quota);
    sums.dominant_share = exists ? share_of(quota, false) : 0;
    sums.asked_share = exists ? share_of(quota, true) : 0;
    sums.violated = exists && is_violated(quota);
    for (std::size_t r = 0; r < trees.resource_count(); ++r) {
        sums.lent_s[r] += sums.lent[r] * passed;
        sums.borrowed_s[r] += sums.borrowed[r] * passed;
        const Amount min = trees.spec(quota).min[r];
        const Amount used = trees.used(quota, r);
        const Amount kept = std::max(used, trees.request(quota, r));
        sums.lent[r] = exists ? static_cast<double>(std::max<Amount>(0, min - kept)) : 0;
        sums.borrowed[r] = exists ? static_cast<double>(std::max<Amount>(0, used - min)) : 0;
    }
}

void QuotaMetrics::changed(QuotaId quota, SimTime now) {
    const QuotaTrees& trees = quotas_.trees();
    for (; !trees.is_root(quota); quota = trees.parent(quota)) {
        settle_quota(quota, now);
    }
}

void QuotaMetrics::all_changed(SimTime now) {
    const QuotaTrees& trees = quotas_.trees();
    const std::size_t known = sums_.size();
    sums_.resize(trees.count());
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        Sums& sums = sums_[i];
        if (i >= known) {
            sums.since = now;
            for (auto* list : {&sums.lent, &sums.lent_s, &sums.borrowed, &sums.borrowed_s}) {
                list->assign(trees.resource_count(), 0);
            }
        }
        settle_quota(QuotaId{i}, now);
    }
}

void QuotaMetrics::look_for_over_use(SimTime now) {
    const std::vector<bool>& over = quotas_.over();
    BERTH_ASSERT(over.size() <= sums_.size(), "every quota has its sums");
    for (std::size_t i = 0; i < over.size(); ++i) {
        if (sums_[i].over_since && !over[i]) {
            sums_[i].over_s += seconds(window_.part_of(*sums_[i].over_since, now));
            sums_[i].over_since.reset();
        } else if (!sums_[i].over_since && over[i]) {
            sums_[i].over_since = now;
        }
    }
}

void QuotaMetrics::Sums::add(const Sums& other) {
    dominant_share_s += other.dominant_share_s;
    violated_s += other.violated_s;
    over_s += other.over_s;
    pods += other.pods;
    waits.add(other.waits);
    lost_s += other.lost_s;
    for (std::size_t cause = 0; cause < eviction_cause_count; ++cause) {
        evictions[cause] += other.evictions[cause];
    }
    for (std::size_t r = 0; r < lent_s.size(); ++r) {
        lent_s[r] += other.lent_s[r];
        borrowed_s[r] += other.borrowed_s[r];
    }
}

void QuotaMetrics::job(QuotaId quota, const JobRecord& record, SimTime now) {
    if (!window_.counts(record.job.submit)) {
        return;
    }
    double pods = 0;
    CensoredSample waits;
    for_each_member(record, [&](const Member& member) {
        ++pods;
        if (!record.ran_from_the_start()) {
            add_wait(waits, member, now);
        }
    });
    for_path(quota, [&](Sums& sums) {
        sums.pods += pods;
        sums.waits.add(waits);
    });
}

void QuotaMetrics::evicted(QuotaId quota, const Job& job, const Stint& stint, EvictionCause cause) {
    if (!window_.counts(job.submit)) {
        return;
    }
    const auto pods = static_cast<double>(stint.members);
    for_path(quota, [&](Sums& sums) {
        sums.evictions[static_cast<std::size_t>(cause)] += pods;
        sums.lost_s += pods * seconds(stint.lost);
    });
}

void QuotaMetrics::finish(SimTime now) {
    all_changed(now);
    look_for_over_use(now);
    for (Sums& sums : sums_) {
        sums.over_s += sums.over_since ? seconds(window_.part_of(*sums.over_since, now)) : 0;
    }
    end_ = now;
}

void QuotaMetrics::add_to(std::vector<Metric>& out) const {
    add_totals(out);
    std::map<std::string, std::vector<QuotaId>> ids;
    for (std::uint32_t i = 0; i < sums_.size(); ++i) {
        ids[quotas_.trees().name(QuotaId{i})].push_back(QuotaId{i});
    }
    for (const std::string& quota : quotas_.names()) {
        add_quota(out, quota, ids[quota]);
    }
}

void QuotaMetrics::add_totals(std::vector<Metric>& out) const {
    const QuotaTrees& trees = quotas_.trees();
    std::vector<double> shares;
    std::vector<double> satisfactions;
    std::array<double, eviction_cause_count> evictions{};
    double lost_s = 0;
    double violated_s = 0;
    double over_s = 0;
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        const Sums& sums = sums_[i];
        if (trees.is_root(QuotaId{i})) {
            for (std::size_t cause = 0; cause < eviction_cause_count; ++cause) {
                evictions[cause] += sums.evictions[cause];
            }
            lost_s += sums.lost_s;
            continue;
        }
        // A parent has no pods of its own, even if it has no children.
        const bool leaf = !trees.spec(QuotaId{i}).is_parent && !trees.is_special(QuotaId{i});
        if (leaf) {
            violated_s += sums.violated_s;
            over_s += sums.over_s;
        }
        if (leaf && sums.asked_share_s > 0) {
            shares.push_back(sums.dominant_share_s);
            satisfactions.push_back(sums.dominant_share_s / sums.asked_share_s);
        }
    }
    out.push_back({"jain_dominant_share", jain_index(shares)});
    out.push_back({"jain_satisfaction", jain_index(satisfactions)});
    out.push_back({"min_violation_s", violated_s});
    out.push_back({"over_use_s", over_s});
    for (std::size_t cause = 0; cause < causes_told_; ++cause) {
        const std::string name = to_name(static_cast<EvictionCause>(cause));
        out.push_back({"pods_" + name, evictions[cause]});
    }
    out.push_back({"work_lost_s", lost_s});
}

void QuotaMetrics::add_quota(std::vector<Metric>& out,
                             const std::string& name,
                             const std::vector<QuotaId>& ids) const {
    const core::ResourceSchema& schema = ledger_.topology().resources();
    Sums sums;  // sums of all quotas that had the name
    sums.lent_s.assign(schema.size(), 0);
    sums.borrowed_s.assign(schema.size(), 0);
    for (const QuotaId id : ids) {
        sums.add(sums_[id.index]);
    }
    const std::string prefix = fmt::format("quota/{}/", name);
    const auto add = [&](std::string_view figure, std::optional<double> value) {
        out.push_back({prefix + std::string(figure), value});
    };
    const double measured_s = seconds(window_.measured(end_));
    add("pods_submitted", sums.pods);
    out.push_back(sums.waits.mean(prefix + "wait_s_mean"));
    sums.waits.add_percentiles(out, prefix + "wait_s", {1000});
    add("dominant_share",
        measured_s > 0 ? std::optional(sums.dominant_share_s / measured_s) : std::nullopt);
    add("min_violation_s", sums.violated_s);
    add("over_use_s", sums.over_s);
    for (std::size_t cause = 0; cause < causes_told_; ++cause) {
        add(to_name(static_cast<EvictionCause>(cause)), sums.evictions[cause]);
    }
    add("lost_s", sums.lost_s);
    for (std::size_t r = 0; r < schema.size(); ++r) {
        const double unit_hours = static_cast<double>(schema.per_unit(r)) * seconds_per_hour;
        add(schema.name(r) + "_lent_h", sums.lent_s[r] / unit_hours);
        add(schema.name(r) + "_borrowed_h", sums.borrowed_s[r] / unit_hours);
    }
}

}  // namespace berth::sim
