#include "experiments/program/report/binding_quota.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace {

/// How long something held of a quota's resource, and the amount that bound last.
struct Binding {
    std::string_view quota;
    std::string_view resource;
    double time_s = 0;
    double amount = 0;
};

/// Whether a quota asks for more than `limit`, by more than rounding can make.
bool asks_for_more(const QuotaStep& step, double limit) {
    constexpr double rounding = 1e-9;
    return step.there() && step.request > limit * (1 + rounding);
}

/// How long a quota asked for more of a resource than the amount that `limit_of` tells.
template <typename LimitOf>
Binding held_back(const std::vector<QuotaStep>& steps, double end_s, const LimitOf& limit_of) {
    Binding out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double limit = limit_of(steps[i]);
        if (!std::isnan(limit) && asks_for_more(steps[i], limit)) {
            out.time_s += (i + 1 < steps.size() ? steps[i + 1].time_s : end_s) - steps[i].time_s;
            out.amount = limit;
        }
    }
    return out;
}

/// The quota that was held back for longest; of equal ones the first, and of its resources the one
/// that people pay for. The root is not a quota that anybody set.
template <typename LimitOf>
Binding longest(const Quotas& quotas, const LimitOf& limit_of) {
    const std::size_t paid = paid_resource(quotas.resources);
    Binding most;
    for (std::size_t q = 1; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        for (std::size_t i = 0; i < quota.steps.size(); ++i) {
            // The paid resource is looked at first, for it to be the one that is named.
            const std::size_t r = i == 0 ? paid : i <= paid ? i - 1 : i;
            Binding one = held_back(quota.steps[r], quotas.last_s, limit_of);
            if (one.time_s > most.time_s) {
                one.quota = quota.name;
                one.resource = quotas.resources[r];
                most = one;
            }
        }
    }
    return most;
}

std::string share_of_time(const Binding& binding, const Quotas& quotas) {
    return value_text("share", binding.time_s / (quotas.last_s - quotas.first_s)).value;
}

}  // namespace

std::string binding_quota(const Quotas& quotas) {
    if (quotas.resources.empty() || !(quotas.last_s > quotas.first_s)) {
        return {};
    }
    if (const Binding at_max = longest(quotas, [](const QuotaStep& step) { return step.max; });
        at_max.time_s > 0) {
        return fmt::format(
            "The quota that binds is {}: for {} of the time its pods ask for more "
            "{} than its max, {}.",
            at_max.quota,
            share_of_time(at_max, quotas),
            at_max.resource,
            number_text(at_max.amount));
    }
    const Binding short_of = longest(quotas, [](const QuotaStep& step) { return step.runtime; });
    if (short_of.time_s > 0) {
        return fmt::format(
            "No quota's max binds. All quotas together ask for more than there is: "
            "{} gets less {} than its pods ask for, {} of the time.",
            short_of.quota,
            short_of.resource,
            share_of_time(short_of, quotas));
    }
    return {};
}

}  // namespace berth::report
