#include "tests/model/random_quotas.hpp"

#include <algorithm>
#include <chrono>

#include "core/elastic_quota/quota_rules.hpp"
#include "tests/model/one_of.hpp"

namespace berth::tests {
namespace {

using std::chrono::milliseconds;

/// Amounts in whole thousandths of CPUs, and in bytes.
core::Quantities random_quantities(Dice& dice, const PlainCase& of, std::int64_t most) {
    core::Quantities out;
    out["cpu"] = core::Quantity{dice.roll(0, most)} * 1'000'000;
    if (of.tree.types.front().size() > 1) {
        out["memory"] = core::Quantity{dice.roll(0, most)} * 1'000'000'000;
    }
    return out;
}

/// Gives the run an end, since a job that is evicted again and again would let it go on forever.
void end_at_some_time(Dice& dice, PlainCase& of) {
    if (of.settings.until == sim::never) {
        of.settings.until = milliseconds(500 * dice.roll(20, 160));
    }
}

void add_recycler(Dice& dice, PlainCase& of) {
    sim::QuotaSettings& settings = *of.settings.quotas;
    if (!settings.admission || settings.rules.limit != core::QuotaLimit::runtime ||
        dice.chance(30)) {
        return;
    }
    sim::RecyclerSettings& recycler = settings.recycler.emplace();
    recycler.period = milliseconds(dice.chance(70) ? 500 * dice.roll(1, 4) : 700);
    recycler.patience = milliseconds(500 * dice.roll(0, dice.chance(70) ? 4 : 16));
    recycler.rules = dice.chance(50) ? core::RevokeRules::documented : core::RevokeRules::published;
    end_at_some_time(dice, of);
}

core::ElasticQuota random_quota(Dice& dice, const PlainCase& of, const std::string& name) {
    core::ElasticQuota quota;
    quota.name = name;
    quota.parent = name == "alone" || name == "a" || name == "b" ? "" : name.substr(0, 1);
    quota.is_parent = name == "a" || name == "b" ? !dice.chance(5) : dice.chance(10);
    quota.written.is_parent = quota.is_parent ? "true" : "false";
    quota.allow_lent_resource = dice.chance(70);
    quota.min = random_quantities(dice, of, quota.is_parent ? 16 : 5);
    quota.max = random_quantities(dice, of, 20);
    return quota;
}

sim::QuotaPatch random_patch(Dice& dice, const PlainCase& of, const std::string& name) {
    sim::QuotaPatch patch;
    patch.name = name;
    if (dice.chance(60)) {
        patch.min = random_quantities(dice, of, 6);
    }
    if (dice.chance(60)) {
        patch.max = random_quantities(dice, of, 20);
    }
    if (dice.chance(20)) {
        patch.shared_weight = random_quantities(dice, of, 4);
    }
    if (dice.chance(10)) {
        patch.parent = one_of<std::string>(dice, {"a", "b", "alone", "nobody"});
    }
    if (dice.chance(20)) {
        patch.allow_lent_resource = dice.chance(50);
    }
    return patch;
}

/// A random change, which often breaks a rule. No quota is deleted under fair-share, which would
/// forget its usage.
sim::QuotaChange random_change(Dice& dice, const PlainCase& of) {
    const std::string name = one_of<std::string>(
        dice,
        {"a", "b", "a-one", "a-two", "b-one", "b-two", "alone", "a-late", "a-late", "b-late"});
    sim::QuotaChange change;
    change.at = milliseconds(500 * dice.roll(0, 80));
    const std::int64_t kind = dice.roll(1, 10);
    if (kind <= 5) {
        change.what = random_patch(dice, of, name);
    } else if (kind <= 7) {
        change.what = sim::QuotaChange::Create{random_quota(dice, of, name)};
    } else if (kind <= 8 || of.queue == "fair-share") {
        change.what = sim::QuotaChange::Update{random_quota(dice, of, name)};
    } else {
        change.what = sim::QuotaChange::Delete{name};
    }
    return change;
}

}  // namespace

void add_quotas(Dice& dice, PlainCase& of) {
    sim::QuotaSettings& settings = of.settings.quotas.emplace();
    const auto add = [&](const std::string& name, const std::string& parent, bool is_parent) {
        core::ElasticQuota quota;
        quota.name = name;
        quota.parent = parent;
        quota.is_parent = is_parent;
        quota.written.is_parent = is_parent ? "true" : "false";
        quota.allow_lent_resource = dice.chance(70);
        quota.min = random_quantities(dice, of, is_parent ? 16 : 5);
        quota.max = random_quantities(dice, of, 20);
        for (auto& [resource, amount] : quota.max) {
            amount += quota.min.at(resource);
        }
        settings.quotas.push_back(quota);
    };
    for (const std::string family : {"a", "b"}) {
        add(family, "", true);
        add(family + "-one", family, false);
        add(family + "-two", family, false);
    }
    add("alone", "", false);
    core::QuotaRules rules;
    std::erase_if(settings.quotas,
                  [&](const core::ElasticQuota& quota) { return rules.create(quota).has_value(); });
    settings.admission = dice.chance(95);
    settings.rules.limit = one_of<core::QuotaLimit>(dice,
                                                    {core::QuotaLimit::runtime,
                                                     core::QuotaLimit::runtime,
                                                     core::QuotaLimit::runtime,
                                                     core::QuotaLimit::max,
                                                     core::QuotaLimit::min});
    settings.rules.check_parents = dice.chance(40);
    settings.refresh = std::chrono::seconds(dice.roll(0, 3));
    if (settings.quotas.empty()) {
        of.settings.quotas.reset();
    } else if (dice.chance(30)) {
        of.queue = "drf";
    }
    if (of.settings.quotas) {
        add_recycler(dice, of);
        if (dice.chance(40)) {
            of.settings.quotas->preemption.emplace().default_group = dice.chance(30);
        }
        while (dice.chance(50)) {
            of.settings.quotas->changes.push_back(random_change(dice, of));
        }
        std::ranges::stable_sort(of.settings.quotas->changes, {}, &sim::QuotaChange::at);
    }
}

void press_quotas(Dice& dice, PlainCase& of) {
    const bool presses = of.settings.quotas && dice.chance(80) &&
                         (of.settings.quotas->recycler || of.settings.quotas->preemption);
    if (!presses) {
        return;
    }
    const core::ElasticQuota& first = one_of(dice, of.settings.quotas->quotas);
    const core::ElasticQuota& second = one_of(dice, of.settings.quotas->quotas);
    for (std::size_t i = 0; i < of.jobs.size(); ++i) {
        sim::Job& job = of.jobs[i];
        const core::ElasticQuota& borrows =
            of.settings.quotas->preemption && dice.chance(50) ? second : first;
        if (!borrows.is_parent && (i < of.jobs.size() / 2 || of.settings.quotas->preemption)) {
            job.quota = borrows.name;  // jobs of other quotas come later
        }
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        for (core::Amount& amount : job.demand) {
            amount = std::min<core::Amount>(amount, dice.roll(1, 3));
        }
        if (job.duration) {
            *job.duration *= dice.roll(1, 3);
        }
    }
}

}  // namespace berth::tests
