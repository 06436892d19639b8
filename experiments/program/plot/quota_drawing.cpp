#include "experiments/program/plot/quota_drawing.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/program/report/quota_page.hpp"

namespace berth::report {

using Json = nlohmann::ordered_json;

namespace {

/// The same quotas; those that are not drawn have no steps.
Quotas only(const Quotas& quotas, const std::set<std::uint32_t>& drawn) {
    Quotas out = quotas;
    for (std::uint32_t q = 0; q < out.quotas.size(); ++q) {
        for (std::vector<QuotaStep>& steps : out.quotas[q].steps) {
            if (!drawn.contains(q)) {
                steps.clear();
            }
        }
    }
    return out;
}

}  // namespace

Json quotas_drawing(const std::vector<RunDirectory>& runs, const std::vector<ShownQuotas>& shown) {
    Json chosen = Json::array();
    Json data = data_of_runs(runs, [&](const RunDirectory& run) {
        const auto& [choice, drawn] = shown[chosen.size()];
        chosen.push_back({{"chosen", choice.quota}, {"resource", choice.resource}});
        const QuotaPageLimits limits{
            .values = 2'000'000, .quotas = run.quotas->quotas.size(), .marks = 20'000};
        const std::vector<double> totals(run.quotas->resources.size(),
                                         std::numeric_limits<double>::quiet_NaN());
        return Json{{"quotas", tree_data(only(*run.quotas, drawn), totals, {}, limits)}};
    });
    data["chosen"] = std::move(chosen);
    return data;
}

}  // namespace berth::report
