#include "sim/quota/quota_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <variant>

#include "core/elastic_quota/quota_names.hpp"
#include "core/support/assert.hpp"
#include "core/support/text.hpp"
#include "sim/quota/residents.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::Members;
using core::QuotaId;
using core::QuotaRefusal;
using core::QuotaTrees;
using core::ResourceList;

/// More than any cluster has; sums of a few such amounts still fit.
constexpr Amount amount_max = Amount{1} << 60;

/// The quantity in units of the schema, rounded up as Kubernetes does.
Amount rounded_up(core::Quantity quantity, Amount per_unit) {
    constexpr core::Quantity billionths = 1'000'000'000;
    const core::Quantity units = (quantity * per_unit + (billionths - 1)) / billionths;
    return static_cast<Amount>(std::clamp<core::Quantity>(units, 0, amount_max));
}

core::Refusal refuse_parent_with_pods(const std::string& name) {
    return fmt::format("{} has pods and becomes a parent: expected is-parent false", name);
}

core::LabelledPod labels_of(const Job& job) {
    return {job.name, job.name_space, job.quota, job.preemptible ? "" : "false"};
}

}  // namespace

QuotaManager::QuotaManager(const QuotaSettings& settings, const core::Ledger& ledger)
    : settings_(settings),
      ledger_(ledger),
      schema_(ledger.topology().resources()),
      trees_(schema_.size(), settings.scale_min) {
    for (std::size_t r = 0; r < schema_.size(); ++r) {
        if (schema_.is_gpu(r)) {
            trees_.share_whole(r, schema_.per_unit(r));
        }
    }
    resize_tables();
    if (!settings.default_group_max.empty()) {
        trees_.set_special_max(QuotaTrees::default_quota, amounts(settings.default_group_max));
    }
    for (const core::ElasticQuota& quota : settings.quotas) {
        const core::Refusal refusal = create(quota);
        BERTH_ASSERT(!refusal, "the quotas of an experiment were checked when it was read");
    }
    const core::NodeId root = ledger.topology().root();
    std::vector<Amount> in_use;
    for (std::size_t r = 0; r < schema_.size(); ++r) {
        in_use.push_back(ledger.allocated(root, r));
    }
    background_changed(in_use, 1);
    capacity_changed();
}

void QuotaManager::background_changed(const std::vector<Amount>& amounts, Members sign) {
    trees_.add_request(QuotaTrees::system_quota, amounts, sign);
    trees_.add_used(QuotaTrees::system_quota, amounts, sign, false);
}

void QuotaManager::capacity_changed() {
    ResourceList total(schema_.size());
    for (std::size_t r = 0; r < schema_.size(); ++r) {
        total.set(r, ledger_.capacity(ledger_.topology().root())[r]);
    }
    trees_.set_cluster_total(total);
}

void QuotaManager::resize_tables() {
    waiting_.resize(trees_.count(), 0);
    running_.resize(trees_.count());
}

ResourceList QuotaManager::amounts(const core::Quantities& quantities) const {
    ResourceList out(schema_.size());
    for (const auto& [name, quantity] : quantities) {
        if (const auto resource = schema_.find(name)) {
            out.set(*resource, rounded_up(quantity, schema_.per_unit(*resource)));
        }
    }
    return out;
}

core::QuotaSpec QuotaManager::spec_of(const core::ElasticQuota& quota) const {
    core::QuotaSpec spec;
    spec.name = quota.name;
    spec.parent = parent_of(quota);
    spec.tree_id = quota.tree_id;
    spec.is_parent = quota.is_parent;
    spec.allow_lent_resource = quota.allow_lent_resource;
    spec.min = amounts(quota.min);
    spec.max = amounts(quota.max);
    spec.shared_weight =
        quota.shared_weight ? amounts(*quota.shared_weight) : ResourceList(schema_.size());
    if (quota.is_root && quota.total_resource && !quota.tree_id.empty()) {
        spec.total_resource = amounts(*quota.total_resource);
        spec.ignore_default_tree = quota.ignore_default_tree;
    }
    return spec;
}

QuotaId QuotaManager::quota_of(const Job& job) const {
    if (!job.quota.empty()) {  // as the rules say, without their tables of namespaces
        const auto named = trees_.find(job.quota);
        return named && !trees_.is_root(*named) ? *named : QuotaTrees::default_quota;
    }
    return trees_.find(rules_.quota_of(labels_of(job))).value_or(QuotaTrees::default_quota);
}

std::optional<std::string> QuotaManager::rejects(QuotaId quota) const {
    if (!trees_.spec(quota).is_parent) {
        return std::nullopt;
    }
    return fmt::format("quota {} is a parent: expected a pod in a leaf", trees_.name(quota));
}

void QuotaManager::requested(QuotaId quota, const Job& job, Members pods) {
    trees_.add_request(quota, job.demand, pods);
}

void QuotaManager::used(QuotaId quota, const Job& job, Members pods) {
    trees_.add_used(quota, job.demand, pods, job.preemptible);
}

void QuotaManager::waiting(QuotaId quota, Members pods) {
    for (;; quota = trees_.parent(quota)) {
        waiting_[quota.index] += pods;
        BERTH_ASSERT(waiting_[quota.index] >= 0, "no more pods stop waiting than waited");
        if (trees_.is_root(quota)) {
            return;
        }
    }
}

void QuotaManager::started(QuotaId quota,
                           const Job& job,
                           std::uint64_t arrival,
                           std::uint32_t index,
                           core::ServerId server) {
    const auto [known, fresh] =
        demand_numbers_.try_emplace(job.demand, static_cast<std::uint32_t>(demand_numbers_.size()));
    if (fresh) {
        demands_.push_back(&known->first);
    }
    Running& running = running_[quota.index];
    const auto place = std::ranges::lower_bound(running, arrival, {}, &RunningJob::arrival);
    BERTH_ASSERT(place == running.end() || place->arrival != arrival,
                 "a job that starts was not running");
    running.insert(place,
                   {arrival, index, job.priority, may_be_preempted(job), server, known->second});
    ++running_changes_;
}

void QuotaManager::stopped(QuotaId quota, std::uint64_t arrival) {
    Running& running = running_[quota.index];
    const auto at = std::ranges::lower_bound(running, arrival, {}, &RunningJob::arrival);
    BERTH_ASSERT(at != running.end() && at->arrival == arrival, "what stops was running");
    running.erase(at);
    ++running_changes_;
}

const std::vector<bool>& QuotaManager::over() {
    if (over_at_ != trees_.changes()) {
        over_at_ = trees_.changes();
        trees_.find_over_use(over_);
    }
    return over_;
}

std::optional<QuotaRefusal> QuotaManager::refusal(QuotaId quota, const Job& job, Members pods) {
    BERTH_ASSERT(job.demand.size() == schema_.size(), "a demand is by the schema");
    std::uint64_t keys = 0;
    for (std::size_t r = 0; r < schema_.size(); ++r) {
        keys |= job.demand[r] > 0 ? std::uint64_t{1} << r : 0;
    }
    return core::check_admission(
        trees_, quota, job.demand, keys, pods, job.preemptible, settings_.rules);
}

Members QuotaManager::admissible(QuotaId quota, const Job& job, Members least, Members most) {
    BERTH_ASSERT(least >= 0 && least <= most, "the fewest that help are no more than all");
    if (!settings_.admission || !refusal(quota, job, most)) {
        return most;
    }
    if (least == most || refusal(quota, job, least)) {
        return 0;
    }
    Members good = least;
    while (most - good > 1) {
        const Members middle = good + (most - good) / 2;
        (refusal(quota, job, middle) ? most : good) = middle;
    }
    return good;
}

core::Refusal QuotaManager::apply(const QuotaChange& change,
                                  const std::function<std::size_t(const std::string&)>& jobs) {
    if (const auto* created = std::get_if<QuotaChange::Create>(&change.what)) {
        if (created->quota.is_parent && rules_.find(created->quota.name) == nullptr &&
            jobs(created->quota.name) > 0) {
            // Jobs that name it would move into it from the default group.
            return refuse_parent_with_pods(created->quota.name);
        }
        return create(created->quota);
    }
    if (const auto* updated = std::get_if<QuotaChange::Update>(&change.what)) {
        return update(updated->quota, jobs(updated->quota.name));
    }
    if (const auto* patched = std::get_if<QuotaPatch>(&change.what)) {
        return patch(*patched, jobs(patched->name));
    }
    const std::string& name = std::get<QuotaChange::Delete>(change.what).name;
    return remove(name, jobs(name));
}

core::Refusal QuotaManager::create(const core::ElasticQuota& quota) {
    if (core::Refusal refusal = rules_.create(quota)) {
        return refusal;
    }
    if (quota.name != core::root_quota_name && quota.name != core::system_quota_name &&
        quota.name != core::default_quota_name) {
        const core::ElasticQuota* created = rules_.find(quota.name);
        BERTH_ASSERT(created != nullptr, "the rules know the quota that they accepted");
        trees_.add(spec_of(*created));
        resize_tables();
    }
    return std::nullopt;
}

core::Refusal QuotaManager::update(const core::ElasticQuota& written, std::size_t jobs) {
    core::ElasticQuota quota = written;
    const core::ElasticQuota* known = rules_.find(quota.name);
    if (known == nullptr) {
        return fmt::format("unknown quota {}: expected one that was created", quota.name);
    }
    if (quota.tree_id.empty()) {
        quota.tree_id = known->tree_id;
    }
    if (quota.is_parent && !known->is_parent && jobs > 0) {
        return refuse_parent_with_pods(quota.name);
    }
    // The real system looks at a quota only if its place or its spec changes.
    if (core::Refusal refusal = check_alone(quota)) {
        return refusal;
    }
    if (core::Refusal refusal = rules_.update(quota)) {
        return refusal;
    }
    if (const auto id = trees_.find(quota.name); id && !trees_.is_special(*id)) {
        const Members waiting_here = waiting_[id->index];
        waiting(*id, -waiting_here);  // the quotas above it may change
        trees_.update(*id, spec_of(*rules_.find(quota.name)));
        waiting(*id, waiting_here);
    }
    return std::nullopt;
}

core::Refusal QuotaManager::patch(const QuotaPatch& patch, std::size_t jobs) {
    const core::ElasticQuota* known = rules_.find(patch.name);
    if (known == nullptr) {
        return fmt::format("unknown quota {}: expected one that was created", patch.name);
    }
    core::ElasticQuota quota = *known;
    const auto replace = [](core::Quantities& amounts,
                            std::map<std::string, std::string>& texts,
                            const core::Quantities& others) {
        for (const auto& [resource, amount] : others) {
            amounts[resource] = amount;
            texts[resource] = core::format_quantity(resource, amount);
        }
    };
    if (patch.min) {
        replace(quota.min, quota.written.min, *patch.min);
    }
    const bool weighs_its_max = quota.shared_weight == quota.max;
    if (patch.max) {
        replace(quota.max, quota.written.max, *patch.max);
    }
    if (patch.shared_weight) {
        quota.shared_weight = patch.shared_weight;
    } else if (weighs_its_max) {
        quota.shared_weight = quota.max;
    }
    quota.parent = patch.parent.value_or(quota.parent);
    quota.allow_lent_resource = patch.allow_lent_resource.value_or(quota.allow_lent_resource);
    return update(quota, jobs);
}

core::Refusal QuotaManager::remove(const std::string& name, std::size_t jobs) {
    if (jobs > 0) {
        return fmt::format("{} has pods, of {} job{}: expected none when it is deleted",
                           name,
                           jobs,
                           jobs == 1 ? "" : "s");
    }
    if (core::Refusal refusal = rules_.remove(name)) {
        return refusal;
    }
    const auto known = trees_.find(name);
    BERTH_ASSERT(known, "the trees have every quota that the rules know");
    trees_.remove(*known);
    return std::nullopt;
}

std::vector<QuotaId> QuotaManager::parents_first() const {
    std::vector<QuotaId> out;
    const std::function<void(QuotaId)> below = [&](QuotaId parent) {
        for (const QuotaId child : trees_.children(parent)) {
            out.push_back(child);
            below(child);
        }
    };
    for (const QuotaId root : trees_.roots()) {
        below(root);
    }
    out.push_back(QuotaTrees::system_quota);
    out.push_back(QuotaTrees::default_quota);
    return out;
}

std::vector<std::string> QuotaManager::names() const {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        if (name != core::root_quota_name && std::ranges::find(out, name) == out.end()) {
            out.push_back(name);
        }
    };
    for (const core::ElasticQuota& quota : settings_.quotas) {
        out.push_back(quota.name);
    }
    std::erase(out, core::root_quota_name);
    for (const QuotaChange& change : settings_.changes) {
        if (const auto* created = std::get_if<QuotaChange::Create>(&change.what)) {
            add(created->quota.name);
        }
    }
    add(core::system_quota_name);
    add(core::default_quota_name);
    return out;
}

std::int64_t QuotaManager::dominant_share(QuotaId quota) const {
    const auto capacity = ledger_.capacity(ledger_.topology().root());
    std::int64_t share = 0;
    for (std::size_t r = 0; r < schema_.size(); ++r) {
        if (capacity[r] > 0) {
            const core::Quantity whole = static_cast<core::Quantity>(trees_.used(quota, r)) << 62;
            share = std::max(share, static_cast<std::int64_t>(whole / capacity[r]));
        }
    }
    return share;
}

std::string QuotaManager::amount_text(std::size_t resource, Amount amount) const {
    return schema_.format(resource, amount);
}

/// Says which quota of the tree is the reason that a quota does not get more.
std::string QuotaManager::held_back_by(QuotaId quota, std::size_t r) {
    const std::string& resource = schema_.name(r);
    for (;; quota = trees_.parent(quota)) {
        const auto runtime = trees_.runtime(quota, r);
        const Amount asked = trees_.limited_request(quota, r);
        if (runtime && *runtime >= asked) {
            // It has everything that it may ask for: its own max holds it back.
            return fmt::format("held back by the max of {}, {}",
                               trees_.name(quota),
                               amount_text(r, trees_.spec(quota).max[r]));
        }
        if (trees_.weight(quota, r) <= 0) {
            return fmt::format("held back at {}: its shared weight is 0", trees_.name(quota));
        }
        const QuotaId parent = trees_.parent(quota);
        if (trees_.is_root(parent)) {
            return fmt::format("held back at {}: its siblings and it ask for {} {} of {}",
                               trees_.name(quota),
                               amount_text(r, trees_.child_request(parent, r)),
                               resource,
                               amount_text(r, trees_.runtime(parent, r).value_or(0)));
        }
    }
}

/// The quotas on the same levels of the tree that use more than their runtimes, largest excess
/// first.
std::string QuotaManager::who_uses_it(QuotaId quota, std::size_t r) {
    struct Over {
        Amount amount = 0;
        QuotaId quota;
        Amount runtime = 0;
    };
    std::vector<Over> over;
    for (; !trees_.is_root(quota); quota = trees_.parent(quota)) {
        for (const QuotaId sibling : trees_.children(trees_.parent(quota))) {
            const auto runtime = trees_.runtime(sibling, r);
            if (runtime && trees_.used(sibling, r) > *runtime) {
                over.push_back({trees_.used(sibling, r) - *runtime, sibling, *runtime});
            }
        }
    }
    std::ranges::stable_sort(over, std::ranges::greater(), &Over::amount);
    constexpr std::size_t shown_max = 3;
    std::string out;
    for (std::size_t i = 0; i < std::min(over.size(), shown_max); ++i) {
        out += fmt::format("; {} uses {} {} above its runtime of {}",
                           trees_.name(over[i].quota),
                           amount_text(r, over[i].amount),
                           schema_.name(r),
                           amount_text(r, over[i].runtime));
    }
    return out;
}

std::string QuotaManager::explain(QuotaId quota, const Job& job, Members pods) {
    if (!settings_.admission) {
        return "";
    }
    const auto why = refusal(quota, job, pods);
    if (!why) {
        return "";
    }
    const QuotaId by = why->quota;
    std::vector<std::string> parts;
    core::for_each_resource(why->exceeded, [&](std::size_t r) {
        const bool fixed = why->reason == QuotaRefusal::Reason::min;
        const Amount used = fixed ? trees_.non_preemptible_used(by, r) : trees_.used(by, r);
        const Amount limit = fixed ? trees_.spec(by).min[r]
                                   : core::quota_limit(trees_, by, r, settings_.rules).value_or(0);
        constexpr std::array names{"runtime", "max", "min"};
        const auto kind = static_cast<std::size_t>(settings_.rules.limit);
        const char* limit_name = fixed ? "min" : trees_.is_special(by) ? "max" : names[kind];
        parts.push_back(fmt::format("{} {}used + {} requested > {} {} of {}",
                                    amount_text(r, used),
                                    fixed ? "non-preemptible " : "",
                                    amount_text(r, job.demand[r] * pods),
                                    limit_name,
                                    amount_text(r, limit),
                                    schema_.name(r)));
    });
    std::string out = fmt::format("quota {}: {}", trees_.name(by), core::join(parts, ", "));
    const bool elastic = settings_.rules.limit == core::QuotaLimit::runtime &&
                         why->reason != QuotaRefusal::Reason::min && !trees_.is_special(by);
    if (elastic) {
        const auto r = static_cast<std::size_t>(std::countr_zero(why->exceeded));
        BERTH_ASSERT(r < schema_.size(), "a refusal names a resource that is exceeded");
        out += "; " + held_back_by(by, r) + who_uses_it(by, r);
    }
    return out + ".";
}

std::string QuotaManager::entitlement(QuotaId quota, const Job& job, Members pods) {
    for (std::size_t r = 0; r < schema_.size() && !trees_.is_special(quota); ++r) {
        const Amount min = trees_.spec(quota).min[r];
        const Amount used = trees_.used(quota, r);
        if (job.demand[r] == 0 || used + job.demand[r] * pods > min) {
            continue;
        }
        if (const std::string others = who_uses_it(quota, r); !others.empty()) {
            const bool reclaims = settings_.gang_preemption && settings_.gang_preemption->reclaim;
            return fmt::format(" Quota {} uses {} of its min of {} {}{}{}.",
                               trees_.name(quota),
                               amount_text(r, used),
                               amount_text(r, min),
                               schema_.name(r),
                               others,
                               reclaims ? "" : "; gang-preemption with reclaim would take it back");
        }
    }
    return "";
}

}  // namespace berth::sim
