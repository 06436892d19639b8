#include "tests/model/plain_quota_book.hpp"

#include <utility>

#include "core/elastic_quota/quota_names.hpp"
#include "tests/model/plain_case.hpp"

namespace berth::tests {

using core::Amount;
using core::Members;

namespace {

/// Amounts in thousandths of a CPU or GPU, or in bytes; rounded up.
core::ResourceList amounts_of(const core::Quantities& quantities, std::size_t resources) {
    core::ResourceList out(resources);
    for (std::size_t r = 0; r < resources; ++r) {
        if (const auto amount = quantities.find(resource_names[r]); amount != quantities.end()) {
            const core::Quantity units = amount->second * (is_in_bytes(r) ? 1 : 1000);
            out.set(r, static_cast<Amount>((units + 999'999'999) / 1'000'000'000));
        }
    }
    return out;
}

/// The default quota is unlimited, and what it uses is not available to others.
bool is_default(const std::string& quota) {
    return quota == core::default_quota_name;
}

}  // namespace

PlainQuotaBook::PlainQuotaBook(const sim::QuotaSettings& settings,
                               const std::vector<core::ElasticQuota>& quotas,
                               const std::vector<PlainJobState>& jobs,
                               std::vector<Amount> total,
                               bool total_known)
    : settings_(settings) {
    const std::size_t resources = total.size();
    book_.total = std::move(total);
    book_.total_known = total_known;
    default_used_.assign(resources, 0);
    for (const core::ElasticQuota& quota : quotas) {
        PlainQuotas::Quota& own = book_.quotas[quota.name];
        own.spec.name = quota.name;
        own.spec.parent = quota.parent;
        own.spec.is_parent = quota.is_parent;
        own.spec.allow_lent_resource = quota.allow_lent_resource;
        own.spec.min = amounts_of(quota.min, resources);
        own.spec.max = amounts_of(quota.max, resources);
        own.spec.shared_weight =
            amounts_of(quota.shared_weight.value_or(core::Quantities()), resources);
        own.own_request.assign(resources, 0);
        own.own_used.assign(resources, 0);
        kept_used_[quota.name].assign(resources, 0);
    }
    for (const PlainJobState& state : jobs) {
        if (state.ended) {
            continue;
        }
        const sim::Job& job = state.job;
        ask(job, state.start ? state.placed : job.size);
        run_more(job, state.start ? state.placed : 0);
    }
    share();
}

void PlainQuotaBook::run_more(const sim::Job& job, Members pods) {
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        const Amount used = pods * job.demand[r];
        if (is_default(job.quota)) {
            default_used_[r] += used;
            continue;
        }
        book_.quotas.at(job.quota).own_used[r] += used;
        kept_used_.at(job.quota)[r] += job.preemptible ? 0 : used;
    }
}

void PlainQuotaBook::ask(const sim::Job& job, Members pods) {
    for (std::size_t r = 0; r < job.demand.size() && !is_default(job.quota); ++r) {
        book_.quotas.at(job.quota).own_request[r] += pods * job.demand[r];
    }
}

void PlainQuotaBook::ask_for_more(const sim::Job& job, Members pods) {
    ask(job, pods);
    share();
}

void PlainQuotaBook::share() {
    runtimes_.assign(book_.total.size(), {});
    for (std::size_t r = 0; r < book_.total.size(); ++r) {
        book_.runtimes("", book_.total[r] - default_used_[r], r, runtimes_[r]);
    }
}

bool PlainQuotaBook::is_parent(const std::string& quota) const {
    return !is_default(quota) && book_.quotas.at(quota).spec.is_parent;
}

Amount PlainQuotaBook::limit(const std::string& quota, std::size_t resource) const {
    const core::QuotaSpec& spec = book_.quotas.at(quota).spec;
    return settings_.rules.limit == core::QuotaLimit::runtime ? runtime(quota, resource)
           : settings_.rules.limit == core::QuotaLimit::max   ? spec.max[resource]
                                                              : spec.min[resource];
}

Amount PlainQuotaBook::used(const std::string& quota, std::size_t resource) const {
    return is_default(quota) ? default_used_[resource] : book_.used(quota, resource);
}

bool PlainQuotaBook::would_exceed(const sim::Job& job) const {
    bool exceeds = false;
    for (std::size_t r = 0; settings_.admission && !is_default(job.quota) && r < job.demand.size();
         ++r) {
        exceeds = exceeds ||
                  (job.demand[r] > 0 && used(job.quota, r) + job.demand[r] > limit(job.quota, r));
    }
    return exceeds;
}

bool PlainQuotaBook::admits(const sim::Job& job, Members pods) const {
    for (std::size_t r = 0; r < job.demand.size() && !is_default(job.quota); ++r) {
        const Amount more = pods * job.demand[r];
        const core::QuotaSpec& spec = book_.quotas.at(job.quota).spec;
        if (used(job.quota, r) + more > limit(job.quota, r)) {
            return false;
        }
        if (!job.preemptible && kept_used_.at(job.quota)[r] + more > spec.min[r]) {
            return false;
        }
        for (std::string above = spec.parent; settings_.rules.check_parents && !above.empty();
             above = book_.quotas.at(above).spec.parent) {
            if (more > 0 && used(above, r) + more > limit(above, r)) {
                return false;
            }
        }
    }
    return true;
}

Members PlainQuotaBook::admitted(const sim::Job& job, Members least, Members most) const {
    for (Members pods = most; settings_.admission && pods >= least; --pods) {
        if (admits(job, pods)) {
            return pods;
        }
    }
    return settings_.admission ? 0 : most;
}

}  // namespace berth::tests
