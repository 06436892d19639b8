#include "experiments/program/report/quota_page.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
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

Maybe<"PackedSteps"> steps_data(const std::vector<QuotaStep>& steps, std::size_t points) {
    if (steps.empty()) {
        return nullptr;
    }
    const std::vector<QuotaStep> kept = thinned(steps, points);
    const auto column = [&](double QuotaStep::* amount) { return folded(list_of(kept, amount)); };
    return object<"PackedSteps">(field<"time">(rounded_list(list_of(kept, &QuotaStep::time_s))),
                                 field<"min">(column(&QuotaStep::min)),
                                 field<"max">(column(&QuotaStep::max)),
                                 field<"runtime">(column(&QuotaStep::runtime)),
                                 field<"request">(column(&QuotaStep::request)),
                                 field<"used">(column(&QuotaStep::used)));
}

/// The figures of each quota.
Is<"QuotaFigures"> figures_data(const Quotas& quotas,
                                const std::vector<QuotaFigures>& figures,
                                std::size_t resource) {
    const auto all = [&](auto figure) {
        return list_of(figures, [&](const QuotaFigures& one) { return rounded(one.*figure); });
    };
    const auto last = [&](double QuotaStep::* amount) {
        return list_of(quotas.quotas, [&](const Quota& quota) {
            const std::vector<QuotaStep>& steps = quota.steps[resource];
            return rounded_if_any(steps.empty() ? QuotaStep::not_stated : steps.back().*amount);
        });
    };
    return object<"QuotaFigures">(field<"used">(all(&QuotaFigures::used_mean)),
                                  field<"min">(all(&QuotaFigures::min_mean)),
                                  field<"max">(all(&QuotaFigures::max_mean)),
                                  field<"there">(all(&QuotaFigures::there_s)),
                                  field<"overMin">(all(&QuotaFigures::over_min_s)),
                                  field<"overUse">(all(&QuotaFigures::over_use_s)),
                                  field<"borrowed">(all(&QuotaFigures::borrowed_h)),
                                  field<"usedLast">(last(&QuotaStep::used)),
                                  field<"minLast">(last(&QuotaStep::min)),
                                  field<"maxLast">(last(&QuotaStep::max)));
}

/// Some evictions as marks, and counts of all.
Is<"QuotaEvictions"> evictions_data(const Quotas& quotas, std::size_t marks_max) {
    std::map<std::pair<std::uint32_t, std::string>, std::pair<std::size_t, double>> counts;
    std::vector<Is<"EvictionMark">> marks;
    const std::size_t each = (quotas.evictions.size() + marks_max) / (marks_max + 1) + 1;
    for (std::size_t i = 0; i < quotas.evictions.size(); ++i) {
        const Eviction& one = quotas.evictions[i];
        auto& [count, lost_s] = counts[{one.quota, one.cause}];
        ++count;
        lost_s += one.lost_s;
        if (quotas.evictions.size() <= marks_max || i % each == 0) {
            marks.push_back(row<"EvictionMark">(field<"time">(rounded(one.time_s)),
                                                field<"quota">(one.quota),
                                                field<"cause">(one.cause),
                                                field<"pod">(one.pod),
                                                field<"ran">(rounded(one.ran_s)),
                                                field<"lost">(rounded(one.lost_s))));
        }
    }
    auto by_quota = list_of(counts, [](const auto& counted) {
        const auto& [key, sum] = counted;
        return row<"EvictionCount">(field<"quota">(key.first),
                                    field<"cause">(key.second),
                                    field<"pods">(sum.first),
                                    field<"lost">(rounded(sum.second)));
    });
    return object<"QuotaEvictions">(field<"total">(quotas.evictions.size()),
                                    field<"marks">(std::move(marks)),
                                    field<"counts">(std::move(by_quota)));
}

/// Refused changes are rarer than accepted ones and more informative, so they are kept first.
Is<"QuotaChanges"> changes_data(const Quotas& quotas, std::size_t marks_max) {
    std::vector<const QuotaChange*> kept;
    for (const bool accepted : {false, true}) {
        for (const QuotaChange& one : quotas.changes) {
            if (one.accepted == accepted && kept.size() < marks_max) {
                kept.push_back(&one);
            }
        }
    }
    std::ranges::stable_sort(kept, {}, [](const QuotaChange* one) { return one->time_s; });
    auto marks = list_of(kept, [](const QuotaChange* one) {
        return row<"ChangeMark">(field<"time">(rounded(one->time_s)),
                                 field<"change">(one->change),
                                 field<"quota">(one->quota),
                                 field<"accepted">(one->accepted),
                                 field<"message">(one->message));
    });
    return object<"QuotaChanges">(field<"total">(quotas.changes.size()),
                                  field<"marks">(std::move(marks)));
}

std::vector<Is<"Loans">> loans_data(const std::vector<Loans>& all) {
    const auto place = [](std::uint32_t quota) {
        return of_type<"Lender">(quota == unreserved_source ? Json("unreserved")
                                 : quota == taken_source    ? Json("taken")
                                 : quota == other_quotas    ? Json("others")
                                                            : Json(quota));
    };
    return list_of(all, [&](const Loans& loans) {
        return object<"Loans">(field<"parent">(loans.parent),
                               field<"resource">(loans.resource),
                               field<"rows">(list_of(loans.loans, [&](const Loan& loan) {
                                   return row<"Loan">(field<"lender">(place(loan.lender)),
                                                      field<"borrower">(place(loan.borrower)),
                                                      field<"hours">(rounded(loan.resource_hours)));
                               })));
    });
}

/// The quota above, as an index; -1 means none.
std::int64_t parent_index(std::uint32_t parent) {
    return parent == no_quota ? -1 : std::int64_t{parent};
}

/// When a quota was gone that is not there at the end.
std::optional<double> gone_s(const Quota& quota) {
    double last_s = -1;
    bool there = false;
    for (const std::vector<QuotaStep>& steps : quota.steps) {
        if (!steps.empty()) {
            there = there || steps.back().there();
            last_s = std::max(last_s, steps.back().time_s);
        }
    }
    return there || last_s < 0 ? std::nullopt : std::optional(last_s);
}

/// Adds the names, the parents at the end, the moves of quotas with several parents, and those that
/// are gone before the end.
void add_tree(const Quotas& quotas, Json& out) {
    std::vector<Is<"QuotaMove">> moves;
    std::vector<Is<"QuotaEnd">> gone;
    for (std::uint32_t q = 0; q < quotas.quotas.size(); ++q) {
        const Quota& quota = quotas.quotas[q];
        for (std::size_t i = 0; quota.parents.size() > 1 && i < quota.parents.size(); ++i) {
            moves.push_back(
                row<"QuotaMove">(field<"quota">(q),
                                 field<"time">(rounded(quota.parents[i].time_s)),
                                 field<"parent">(parent_index(quota.parents[i].parent))));
        }
        if (const auto time_s = gone_s(quota)) {
            gone.push_back(row<"QuotaEnd">(field<"quota">(q), field<"time">(rounded(*time_s))));
        }
    }
    add_to<"Quotas">(
        out,
        field<"names">(list_of(quotas.quotas, &Quota::name)),
        field<"parents">(list_of(
            quotas.quotas, [](const Quota& quota) { return parent_index(quota.last_parent()); })),
        field<"moves">(std::move(moves)),
        field<"gone">(std::move(gone)));
}

}  // namespace

Maybe<"Quotas"> quotas_data(const RunDirectory& run, const QuotaPageLimits& limits) {
    if (!run.quotas) {
        return nullptr;
    }
    const std::vector<double> totals = root_totals(run);
    return tree_data(*run.quotas, totals, integrate_lending(*run.quotas, totals), limits);
}

Is<"Quotas"> tree_data(const Quotas& quotas,
                       const std::vector<double>& totals,
                       const std::vector<Loans>& loans,
                       const QuotaPageLimits& limits) {
    const Figures figures = all_figures(quotas);
    const SeriesPlan plan = plan_series(quotas, figures, limits);
    const QuotaChoice choice = usual_choice(quotas);
    auto out = object<"Quotas">(field<"resources">(quotas.resources),
                                field<"first">(rounded(quotas.first_s)),
                                field<"last">(rounded(quotas.last_s)),
                                field<"samples">(quotas.samples),
                                field<"replications">(quotas.replications),
                                field<"chosen">(choice.quota),
                                field<"resource">(choice.resource));
    add_tree(quotas, out);
    bool thinned = false;
    std::vector<Is<"QuotaFigures">> by_resource;
    for (std::size_t r = 0; r < quotas.resources.size(); ++r) {
        by_resource.push_back(figures_data(quotas, figures[r], r));
    }
    std::vector<std::optional<std::vector<Maybe<"PackedSteps">>>> series(quotas.quotas.size());
    for (std::size_t q = 0; q < quotas.quotas.size(); ++q) {
        for (const std::vector<QuotaStep>& steps : quotas.quotas[q].steps) {
            thinned = thinned || (plan.shown[q] && steps.size() > plan.points);
        }
        if (plan.shown[q]) {
            series[q] = list_of(quotas.quotas[q].steps, [&](const std::vector<QuotaStep>& steps) {
                return steps_data(steps, plan.points);
            });
        }
    }
    add_to<"Quotas">(out,
                     field<"figures">(std::move(by_resource)),
                     field<"series">(std::move(series)),
                     field<"leftOut">(std::ranges::count(plan.shown, false)),
                     field<"thinned">(thinned),
                     field<"evictions">(evictions_data(quotas, limits.marks)),
                     field<"changes">(changes_data(quotas, limits.marks)),
                     field<"total">(rounded_if_any(totals)),
                     field<"loans">(loans_data(loans)));
    return out;
}

Maybe<"QuotaMetrics"> quota_metrics_data(const std::vector<MetricSummary>& metrics) {
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
    Json by_figure = Json::object();
    for (auto& [name, column] : figures) {
        column.mean.resize(names.size(), QuotaStep::not_stated);
        column.ci95.resize(names.size(), QuotaStep::not_stated);
        by_figure[name] = object<"QuotaMetric">(field<"mean">(rounded_if_any(column.mean)),
                                                field<"ci95">(rounded_if_any(column.ci95)));
    }
    return object<"QuotaMetrics">(
        field<"names">(std::move(names)),
        field<"figures">(of_type<"Record<string, QuotaMetric | undefined>">(std::move(by_figure))));
}

}  // namespace berth::report
