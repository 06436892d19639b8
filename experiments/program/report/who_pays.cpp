#include "experiments/program/report/who_pays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/headline.hpp"

namespace berth::report {
namespace {

constexpr std::size_t rows_max = 6;
constexpr double by_half = 1.5;
constexpr double noticed_s = 1;

struct Payer {
    std::string label;
    const MetricSummary* mean;
    const MetricSummary* tail;

    /// The mean wait; a lower bound with jobs that had not ended is used if it is longer.
    [[nodiscard]] double wait_s() const {
        return std::max(mean->mean.value_or(0), mean->at_least.value_or(0));
    }
};

const MetricSummary* find(const RunDirectory& run, const std::string& name) {
    const auto found = std::ranges::find(run.metrics, name, &MetricSummary::name);
    const bool known = found != run.metrics.end() && (found->mean || found->at_least);
    return known ? &*found : nullptr;
}

std::string value_of(const MetricSummary* metric) {
    if (metric == nullptr) {
        return "–";
    }
    constexpr std::string_view bound = "more than ";
    const std::string text = with_interval(quoted(*metric, ""));
    return text.starts_with(bound) ? "> " + text.substr(bound.size()) : text;
}

/// Such as `9 to 64 GPUs` for `gpus=9-64`; other names are returned as they are.
std::string name_of(std::string_view label) {
    const bool gpus = label.starts_with("gpus=");
    if (!gpus && !label.starts_with("pods=")) {
        return std::string(label.substr(label.find('=') + 1));
    }
    const std::string_view size = label.substr(label.find('=') + 1);
    const std::string_view unit = gpus ? "GPU" : "pod";
    if (size == "0" || size == "part") {
        return size == "0" ? "no GPU" : "part of a GPU";
    }
    if (size.ends_with('+')) {
        return fmt::format("{} {}s or more", size.substr(0, size.size() - 1), unit);
    }
    const std::size_t dash = size.find('-');
    return dash == std::string_view::npos
               ? fmt::format("{} {}{}", size, unit, size == "1" ? "" : "s")
               : fmt::format("{} to {} {}s", size.substr(0, dash), size.substr(dash + 1), unit);
}

Is<"Payers"> payers_json(std::string_view trait, std::vector<Payer> payers) {
    const std::size_t left_out = payers.size() - std::min(payers.size(), rows_max);
    if (trait != "size") {  // sizes keep their own order
        std::ranges::stable_sort(payers, std::ranges::greater{}, &Payer::wait_s);
        payers.resize(payers.size() - left_out);
    }
    auto rows = list_of(payers, [](const Payer& payer) {
        return object<"Payer">(field<"name">(name_of(payer.label)),
                               field<"metric">(payer.mean->name),
                               field<"mean">(value_of(payer.mean)),
                               field<"tail">(value_of(payer.tail)));
    });
    return object<"Payers">(field<"by">(trait),
                            field<"rows">(std::move(rows)),
                            field<"leftOut">(trait == "size" ? 0 : left_out));
}

}  // namespace

std::vector<Is<"Payers">> who_pays(const RunDirectory& run) {
    std::vector<Is<"Payers">> out;
    for (const std::string_view trait : std::array{"quota", "user", "class", "size"}) {
        std::vector<Payer> payers;
        for (const MetricSummary& metric : run.metrics) {
            constexpr std::string_view prefix = "job_wait_s_mean[";
            if (!metric.name.starts_with(prefix)) {
                continue;
            }
            const std::string label =
                metric.name.substr(prefix.size(), metric.name.size() - prefix.size() - 1);
            const auto of = run.job_traits.find(label);
            const MetricSummary* mean = find(run, metric.name);
            if (of != run.job_traits.end() && of->second == trait && mean != nullptr) {
                payers.push_back(
                    {label, mean, find(run, fmt::format("job_wait_s_p95[{}]", label))});
            }
        }
        const auto [least, most] = std::ranges::minmax_element(payers, {}, &Payer::wait_s);
        if (payers.size() > 1 && most->wait_s() >= noticed_s &&
            most->wait_s() > by_half * least->wait_s()) {
            out.push_back(payers_json(trait, std::move(payers)));
        }
    }
    return out;
}

}  // namespace berth::report
