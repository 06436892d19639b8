#include "experiments/program/report/quota_page.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "experiments/program/report/page_json.hpp"
#include "experiments/program/report/quota_lending.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t points_max = 2'000;  // more than a chart has pixels
constexpr std::size_t points_min = 50;
constexpr std::size_t columns = 6;       // time, min, max, runtime, request, used
constexpr std::size_t quotas_few = 300;  // if there are no more than this, all quotas have series

/// The amounts that the children of the root share: the cluster without its background and without
/// pods outside of the sharing. An amount is known if nodes.csv has the resource.
std::vector<double> root_totals(const RunDirectory& run) {
    std::vector<double> totals;
    for (std::size_t r = 0; r < run.quotas->resources.size(); ++r) {
        totals.push_back(QuotaStep::not_stated);
        if (!run.cluster) {
            continue;
        }
        const Cluster& cluster = *run.cluster;
        const auto found = std::ranges::find(cluster.resources, run.quotas->resources[r]);
        if (found == cluster.resources.end()) {
            continue;
        }
        const auto at = static_cast<std::size_t>(found - cluster.resources.begin());
        totals.back() = 0;
        for (const Cell& cell : cluster.cells) {
            totals.back() += cell.capacity[at] - cell.background[at];
        }
        for (const Quota& quota : run.quotas->quotas) {
            if (quota.special()) {
                totals.back() -=
                    figures_of(quota.steps[r], run.quotas->last_s).used_mean.value_or(0);
            }
        }
    }
    return totals;
}

std::set<std::uint32_t> parents_of(const Quotas& quotas) {
    std::set<std::uint32_t> parents{0};
    for (const Quota& quota : quotas.quotas) {
        for (const QuotaParent& at : quota.parents) {
            if (at.parent != no_quota) {
                parents.insert(at.parent);
            }
        }
    }
    return parents;
}

using Figures = std::vector<std::vector<QuotaFigures>>;  // by resource, then by quota

Figures all_figures(const Quotas& quotas) {
    Figures all(quotas.resources.size());
    for (std::size_t r = 0; r < quotas.resources.size(); ++r) {
        for (const Quota& quota : quotas.quotas) {
            all[r].push_back(figures_of(quota.steps[r], quotas.last_s));
        }
    }
    return all;
}

/// For each quota, its largest borrowing and over-use as a share of the largest of all quotas,
/// summed over the resources.
std::vector<double> interest(const Quotas& quotas, const Figures& figures) {
    std::vector<double> sum(quotas.quotas.size());
    for (const std::vector<QuotaFigures>& of_resource : figures) {
        double most = 0;
        for (std::size_t q = 1; q < of_resource.size(); ++q) {
            most = std::max(most, of_resource[q].borrowed_most + of_resource[q].over_use_most);
        }
        for (std::size_t q = 0; q < of_resource.size() && most > 0; ++q) {
            sum[q] += (of_resource[q].borrowed_most + of_resource[q].over_use_most) / most;
        }
    }
    return sum;
}

/// The quotas that have series, and the most points that each series may have.
struct SeriesPlan {
    std::vector<bool> shown;
    std::size_t points = points_max;
};

SeriesPlan plan_series(const Quotas& quotas,
                       const Figures& figures,
                       const QuotaPageLimits& limits) {
    SeriesPlan plan{std::vector<bool>(quotas.quotas.size(), true), points_max};
    const auto values = [&](std::size_t points) {
        std::size_t sum = 0;
        for (std::size_t q = 0; q < quotas.quotas.size(); ++q) {
            for (const std::vector<QuotaStep>& steps : quotas.quotas[q].steps) {
                sum += plan.shown[q] ? columns * std::min(steps.size(), points) : 0;
            }
        }
        return sum;
    };
    if (quotas.quotas.size() > quotas_few && values(points_max) > limits.values) {
        const std::vector<double> score = interest(quotas, figures);
        std::vector<std::uint32_t> order(quotas.quotas.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, std::ranges::greater(), [&](auto q) { return score[q]; });
        order.resize(std::min(order.size(), limits.quotas));
        plan.shown.assign(quotas.quotas.size(), false);
        for (const std::uint32_t q : order) {
            plan.shown[q] = true;
        }
        for (const std::uint32_t q : parents_of(quotas)) {
            plan.shown[q] = true;
        }
    }
    while (plan.points > points_min && values(plan.points) > limits.values) {
        plan.points = std::max(points_min, plan.points * 3 / 4);
    }
    return plan;
}

Json steps_data(const std::vector<QuotaStep>& steps, std::size_t points) {
    if (steps.empty()) {
        return nullptr;
    }
    const std::vector<QuotaStep> kept = thinned(steps, points);
    const auto column = [&](double QuotaStep::* amount) {
        std::vector<double> values(kept.size());
        std::ranges::transform(kept, values.begin(), amount);
        return values;
    };
    return {{"time", rounded_list(column(&QuotaStep::time_s))},
            {"min", folded(column(&QuotaStep::min))},
            {"max", folded(column(&QuotaStep::max))},
            {"runtime", folded(column(&QuotaStep::runtime))},
            {"request", folded(column(&QuotaStep::request))},
            {"used", folded(column(&QuotaStep::used))}};
}

Json figures_data(const Quotas& quotas,
                  const std::vector<QuotaFigures>& figures,
                  std::size_t resource) {
    Json out = Json::object();
    const auto add = [&](const char* name, auto value_of) {
        Json list = Json::array();
        for (const QuotaFigures& one : figures) {
            list.push_back(rounded(value_of(one)));
        }
        out[name] = std::move(list);
    };
    add("used", [](const QuotaFigures& f) { return f.used_mean; });
    add("min", [](const QuotaFigures& f) { return f.min_mean; });
    add("max", [](const QuotaFigures& f) { return f.max_mean; });
    add("there", [](const QuotaFigures& f) { return f.there_s; });
    add("overMin", [](const QuotaFigures& f) { return f.over_min_s; });
    add("overUse", [](const QuotaFigures& f) { return f.over_use_s; });
    add("borrowed", [](const QuotaFigures& f) { return f.borrowed_h; });
    const auto add_last = [&](const char* name, double QuotaStep::* amount) {
        Json list = Json::array();
        for (const Quota& quota : quotas.quotas) {
            const std::vector<QuotaStep>& steps = quota.steps[resource];
            list.push_back(steps.empty() ? Json(nullptr) : rounded(steps.back().*amount));
        }
        out[name] = std::move(list);
    };
    add_last("usedLast", &QuotaStep::used);
    add_last("minLast", &QuotaStep::min);
    add_last("maxLast", &QuotaStep::max);
    return out;
}

/// {"marks": some of them, "counts": [quota, cause, pods, seconds lost], "total"}.
Json evictions_data(const Quotas& quotas, std::size_t marks_max) {
    std::map<std::pair<std::uint32_t, std::string>, std::pair<std::size_t, double>> counts;
    Json marks = Json::array();
    const std::size_t each = (quotas.evictions.size() + marks_max) / (marks_max + 1) + 1;
    for (std::size_t i = 0; i < quotas.evictions.size(); ++i) {
        const Eviction& one = quotas.evictions[i];
        auto& [count, lost_s] = counts[{one.quota, one.cause}];
        ++count;
        lost_s += one.lost_s;
        if (quotas.evictions.size() <= marks_max || i % each == 0) {
            marks.push_back(Json::array({rounded(one.time_s),
                                         one.quota,
                                         one.cause,
                                         one.pod,
                                         rounded(one.ran_s),
                                         rounded(one.lost_s)}));
        }
    }
    Json by_quota = Json::array();
    for (const auto& [key, sum] : counts) {
        by_quota.push_back(Json::array({key.first, key.second, sum.first, rounded(sum.second)}));
    }
    return {{"total", quotas.evictions.size()},
            {"marks", std::move(marks)},
            {"counts", std::move(by_quota)}};
}

/// Refused changes are rarer than accepted ones and more informative, so they are kept first.
Json changes_data(const Quotas& quotas, std::size_t marks_max) {
    std::vector<const QuotaChange*> kept;
    for (const bool accepted : {false, true}) {
        for (const QuotaChange& one : quotas.changes) {
            if (one.accepted == accepted && kept.size() < marks_max) {
                kept.push_back(&one);
            }
        }
    }
    std::ranges::stable_sort(kept, {}, [](const QuotaChange* one) { return one->time_s; });
    Json marks = Json::array();
    for (const QuotaChange* one : kept) {
        marks.push_back(Json::array(
            {rounded(one->time_s), one->change, one->quota, one->accepted, one->message}));
    }
    return {{"total", quotas.changes.size()}, {"marks", std::move(marks)}};
}

Json loans_data(const std::vector<Loans>& all) {
    const auto index = [](std::uint32_t quota) -> Json {
        return quota == unreserved_source ? Json("unreserved")
               : quota == taken_source    ? Json("taken")
               : quota == other_quotas    ? Json("others")
                                          : Json(quota);
    };
    Json list = Json::array();
    for (const Loans& loans : all) {
        Json rows = Json::array();
        for (const Loan& loan : loans.loans) {
            rows.push_back(Json::array(
                {index(loan.lender), index(loan.borrower), rounded(loan.resource_hours)}));
        }
        list.push_back(
            {{"parent", loans.parent}, {"resource", loans.resource}, {"rows", std::move(rows)}});
    }
    return list;
}

/// {"names", "parents" at the end, "moves" of quotas with several parents, "gone" before the end}.
void add_tree(const Quotas& quotas, Json& out) {
    Json names = Json::array();
    Json parents = Json::array();
    Json moves = Json::array();
    Json gone = Json::array();
    for (std::uint32_t q = 0; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        const auto index = [](std::uint32_t parent) {
            return parent == no_quota ? Json(-1) : Json(parent);
        };
        names.push_back(quota.name);
        parents.push_back(index(quota.last_parent()));
        for (std::size_t i = 0; quota.parents.size() > 1 && i < quota.parents.size(); ++i) {
            moves.push_back(
                Json::array({q, rounded(quota.parents[i].time_s), index(quota.parents[i].parent)}));
        }
        double last_s = -1;
        bool there = false;
        for (const std::vector<QuotaStep>& steps : quota.steps) {
            if (!steps.empty()) {
                there = there || steps.back().there();
                last_s = std::max(last_s, steps.back().time_s);
            }
        }
        if (!there && last_s >= 0) {
            gone.push_back(Json::array({q, rounded(last_s)}));
        }
    }
    out["names"] = std::move(names);
    out["parents"] = std::move(parents);
    out["moves"] = std::move(moves);
    out["gone"] = std::move(gone);
}

}  // namespace

Json quotas_data(const RunDirectory& run, const QuotaPageLimits& limits) {
    if (!run.quotas) {
        return nullptr;
    }
    const std::vector<double> totals = root_totals(run);
    return tree_data(*run.quotas, totals, integrate_lending(*run.quotas, totals), limits);
}

Json tree_data(const Quotas& quotas,
               const std::vector<double>& totals,
               const std::vector<Loans>& loans,
               const QuotaPageLimits& limits) {
    const Figures figures = all_figures(quotas);
    const SeriesPlan plan = plan_series(quotas, figures, limits);
    const QuotaChoice choice = usual_choice(quotas);
    Json out = {{"resources", quotas.resources},
                {"first", rounded(quotas.first_s)},
                {"last", rounded(quotas.last_s)},
                {"samples", quotas.samples},
                {"replications", quotas.replications},
                {"chosen", choice.quota},
                {"resource", choice.resource}};
    add_tree(quotas, out);
    out["figures"] = Json::array();
    for (std::size_t r = 0; r < quotas.resources.size(); ++r) {
        out["figures"].push_back(figures_data(quotas, figures[r], r));
    }
    bool thinned = false;
    out["series"] = Json::array();
    for (std::size_t q = 0; q < quotas.quotas.size(); ++q) {
        Json by_resource = Json::array();
        for (const std::vector<QuotaStep>& steps : quotas.quotas[q].steps) {
            thinned = thinned || (plan.shown[q] && steps.size() > plan.points);
            by_resource.push_back(steps_data(steps, plan.points));
        }
        out["series"].push_back(plan.shown[q] ? std::move(by_resource) : Json(nullptr));
    }
    out["leftOut"] = std::ranges::count(plan.shown, false);
    out["thinned"] = thinned;
    out["evictions"] = evictions_data(quotas, limits.marks);
    out["changes"] = changes_data(quotas, limits.marks);
    out["total"] = rounded_list(totals);
    out["loans"] = loans_data(loans);
    return out;
}

Json quota_metrics_data(const std::vector<MetricSummary>& metrics) {
    if (metrics.empty()) {
        return nullptr;
    }
    struct Column {
        std::vector<double> mean;
        std::vector<double> ci95;
    };
    std::vector<std::string> names;
    std::map<std::string, std::size_t, std::less<>> index;
    std::vector<std::pair<std::string, Column>> figures;
    constexpr std::size_t prefix = std::string_view("quota/").size();
    for (const MetricSummary& metric : metrics) {
        // The name of a resource may contain a slash, but that of a quota may not.
        const std::size_t slash = metric.name.find('/', prefix + 1);
        const std::string quota = metric.name.substr(prefix, slash - prefix);
        const std::string figure = metric.name.substr(slash + 1);
        const auto [at, is_new] = index.try_emplace(quota, names.size());
        if (is_new) {
            names.push_back(quota);
        }
        auto column = std::ranges::find(figures, figure, &std::pair<std::string, Column>::first);
        if (column == figures.end()) {
            column = figures.insert(column, {figure, {}});
        }
        const std::size_t size = std::max(column->second.mean.size(), at->second + 1);
        column->second.mean.resize(size, QuotaStep::not_stated);
        column->second.ci95.resize(size, QuotaStep::not_stated);
        column->second.mean[at->second] = metric.mean.value_or(QuotaStep::not_stated);
        column->second.ci95[at->second] = metric.ci95.value_or(QuotaStep::not_stated);
    }
    Json out = {{"names", names}, {"figures", Json::object()}};
    for (auto& [name, column] : figures) {
        column.mean.resize(names.size(), QuotaStep::not_stated);
        column.ci95.resize(names.size(), QuotaStep::not_stated);
        out["figures"][name] = {{"mean", rounded_list(column.mean)},
                                {"ci95", rounded_list(column.ci95)}};
    }
    return out;
}

}  // namespace berth::report
