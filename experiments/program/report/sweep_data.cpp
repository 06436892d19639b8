#include "experiments/program/report/sweep_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/report/answer.hpp"
#include "experiments/program/report/page_json.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/sweep_choice.hpp"
#include "experiments/program/results/sweep_tables.hpp"
#include "experiments/program/results/verdict.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(const std::vector<std::uint8_t>& bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            const bool padding = i + k > bytes.size();
            out += padding ? '=' : digits[three >> (18 - 6 * k) & 63U];
        }
    }
    return out;
}

/// Packs floats of seven digits: more than the six that are shown, and the same bytes on every
/// machine.
std::string packed_values(const std::vector<double>& values) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(values.size() * 4);
    for (const double value : values) {
        // One bit pattern for every NaN.
        const std::uint32_t bits = std::isnan(value)
                                       ? 0x7FC00000U
                                       : std::bit_cast<std::uint32_t>(static_cast<float>(value));
        for (const unsigned shift : {0U, 8U, 16U, 24U}) {
            bytes.push_back(static_cast<std::uint8_t>(bits >> shift & 0xFFU));
        }
    }
    return base64(bytes);
}

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// One value per point, if all replications of each point have the same value.
std::optional<std::vector<double>> by_point(const SweepMetric& metric, std::size_t replications) {
    std::vector<double> out;
    for (std::size_t i = 0; i < metric.values.size(); ++i) {
        if (i % replications == 0) {
            out.push_back(metric.values[i]);
        } else if (!same(metric.values[i], out.back())) {
            return std::nullopt;
        }
    }
    return out;
}

/// The value of all finished points, if they have the same.
std::optional<double> one_for_all(const SweepDirectory& sweep, const std::vector<double>& points) {
    std::optional<double> value;
    for (std::size_t p = 0; p < points.size(); ++p) {
        if (sweep.finished[p] &&
            (std::isnan(points[p]) || value.value_or(points[p]) != points[p])) {
            return std::nullopt;
        }
        if (sweep.finished[p]) {
            value = points[p];
        }
    }
    return value;
}

/// A metric on the page.
struct PackedMetric {
    std::string name;
    std::optional<double> one;  ///< The value if it is the same everywhere; `values` is then empty.
    /// The values by point, and by replication or by part of a summary.
    std::vector<double> values;
    bool summed = false;
};

Is<"SweepMetric"> metric_data(const PackedMetric& metric) {
    return object<"SweepMetric">(
        field<"name">(metric.name),
        field<"values">(of_type<"number | string">(
            metric.one ? rounded(*metric.one) : Json(packed_values(metric.values)))),
        field_if_known<"summed">(metric.summed ? std::optional(true) : std::nullopt));
}

/// The metrics that have values, those of quotas last.
std::vector<PackedMetric> pack_metrics(const SweepDirectory& sweep) {
    std::vector<PackedMetric> made;
    for (const bool quotas : {false, true}) {
        for (const SweepMetric& metric : sweep.metrics) {
            const bool none =
                std::ranges::all_of(metric.values, [](double v) { return std::isnan(v); });
            if (none || is_of_quota(metric.name) != quotas) {
                continue;
            }
            auto few = by_point(metric, sweep.replications.size());
            const auto one = few ? one_for_all(sweep, *few) : std::nullopt;
            PackedMetric packed_metric{metric.name, one, {}, false};
            if (!one && few) {
                packed_metric.values = std::move(*few);
            } else if (!one) {
                packed_metric.values = metric.values;
            }
            made.push_back(std::move(packed_metric));
        }
    }
    return made;
}

/// Replaces the replications by their summary; a point without values has n = 0.
void sum_up(PackedMetric& metric, std::size_t points) {
    const std::size_t count = metric.values.size() / points;
    std::vector<double> out;
    for (std::size_t p = 0; p < points; ++p) {
        Samples known{metric.name, {}};
        for (std::size_t r = 0; r < count; ++r) {
            const double value = metric.values[p * count + r];
            if (!std::isnan(value)) {
                known.values.push_back(value);
            }
        }
        const Distribution d = known.values.empty() ? Distribution() : describe_replications(known);
        const double ci95 = d.ci95.value_or(std::numeric_limits<double>::quiet_NaN());
        out.insert(out.end(), {static_cast<double>(d.count), d.mean, ci95, d.sd, d.min});
        out.insert(out.end(), {d.lower_quartile, d.median, d.upper_quartile, d.max});
    }
    metric.values = std::move(out);
    metric.summed = true;
}

std::vector<Is<"SweepMetric">> metric_list(const SweepDirectory& sweep,
                                           const SweepPageLimits& limits,
                                           std::vector<std::string>& left_out) {
    constexpr std::size_t summary_size = 9;
    std::vector<PackedMetric> metrics = pack_metrics(sweep);
    std::size_t all = 0;
    for (const PackedMetric& metric : metrics) {
        all += metric.values.size();
    }
    const std::size_t points = sweep.points.size();
    std::vector<Is<"SweepMetric">> list;
    std::size_t used = 0;
    for (PackedMetric& metric : metrics) {
        if (all > limits.values && metric.values.size() > points * summary_size) {
            sum_up(metric, points);
        }
        if (used + metric.values.size() > limits.values) {
            left_out.push_back(metric.name);
            continue;
        }
        used += metric.values.size();
        list.push_back(metric_data(metric));
    }
    return list;
}

std::vector<Is<"SweepAxis">> axis_list(const SweepDirectory& sweep) {
    std::vector<Is<"SweepAxis">> list;
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        const SweepAxis& axis = sweep.axes[a];
        auto value_at = [a](const std::vector<std::size_t>& point) { return point[a]; };
        list.push_back(object<"SweepAxis">(
            field<"name">(axis.name),
            field<"values">(axis.values),
            field<"numbers">(axis.numeric() ? std::optional(rounded_list(axis.numbers))
                                            : std::nullopt),  // for names, there are none
            field<"given">(axis.is_given()),
            field<"points">(list_of(sweep.points, value_at))));  // the index of each one's value
    }
    return list;
}

Is<"SweepDefaults"> defaults(const SweepDirectory& sweep) {
    const SweepChoice choice = choose(sweep, {});
    const auto name = [&](std::optional<std::size_t> axis) {
        return axis ? std::optional(sweep.axes[*axis].name) : std::nullopt;
    };
    return object<"SweepDefaults">(field<"metric">(sweep.metrics[choice.metric].name),
                                   field<"x">(sweep.axes[choice.x].name),
                                   field<"by">(name(choice.by)),
                                   field<"panel">(name(choice.panel)));
}

/// One metric of each point against each baseline.
struct PackedVerdicts {
    /// The difference, half of its interval, and Holm's p for each pair; NaN: there is none.
    std::vector<double> values;
    std::string verdicts;  ///< A digit for each pair; `-`: the pair has no verdict.

    explicit PackedVerdicts(std::size_t pairs)
        : values(3 * pairs, std::numeric_limits<double>::quiet_NaN()), verdicts(pairs, '-') {}
};

/// Stores the results of compare_tables() for a point and a baseline at the place of this pair.
void take_pair(const std::vector<MetricComparison>& compared,
               std::size_t place,
               std::size_t pairs,
               std::map<std::string, PackedVerdicts>& out) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (const MetricComparison& one : compared) {
        PackedVerdicts& metric = out.try_emplace(one.metric, pairs).first->second;
        const PairedDifference& difference = one.difference;
        metric.values[3 * place] = difference.mean;
        metric.values[3 * place + 1] = difference.p ? difference.ci95 : none;
        metric.values[3 * place + 2] = one.p_holm.value_or(none);
        metric.verdicts[place] = static_cast<char>('0' + static_cast<int>(one.verdict));
    }
}

/// Compares the finished points with the first of them, as many as the time for a page allows; null
/// if there is nothing to compare.
Maybe<"SweepAgainst"> against(const SweepDirectory& sweep, const SweepPageLimits& limits) {
    std::vector<std::size_t> finished;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        if (sweep.finished[p]) {
            finished.push_back(p);
        }
    }
    if (sweep.seeds.empty() || finished.size() < 2) {
        return nullptr;
    }
    const std::size_t each = finished.size() * std::max<std::size_t>(sweep.metrics.size(), 1);
    std::vector<std::size_t> baselines = finished;
    baselines.resize(std::clamp<std::size_t>(limits.tests / each, 1, finished.size()));
    const std::size_t pairs = baselines.size() * sweep.points.size();
    std::vector<ReplicationTable> tables;
    std::vector<std::vector<std::string>> headlines;
    for (const std::size_t baseline : baselines) {
        tables.push_back(table_of(sweep, {baseline}));
        headlines.push_back(headline_metrics(tables.back()));
    }
    std::map<std::string, PackedVerdicts> found;
    for (const std::size_t point : finished) {
        const ReplicationTable table = table_of(sweep, {point});
        for (std::size_t b = 0; b < baselines.size(); ++b) {
            if (baselines[b] != point) {
                take_pair(compare_tables(tables[b], table, alike(sweep, baselines[b], point)),
                          b * sweep.points.size() + point,
                          pairs,
                          found);
            }
        }
    }
    constexpr char equal = '0' + static_cast<int>(Verdict::equal);
    Json metrics = Json::object();
    for (const auto& [name, metric] : found) {
        if (metric.verdicts.find_first_not_of(std::string{'-', equal}) != std::string::npos) {
            metrics[name] = object<"SweepVerdicts">(field<"values">(packed_values(metric.values)),
                                                    field<"verdicts">(metric.verdicts));
        }
    }
    std::vector<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Verdict::not_comparable); ++i) {
        names.push_back(to_string(static_cast<Verdict>(i)));
    }
    return object<"SweepAgainst">(
        field<"baselines">(baselines),
        field<"headlines">(std::move(headlines)),
        field<"names">(names),
        field<"metrics">(of_type<"Record<string, SweepVerdicts>">(std::move(metrics))));
}

}  // namespace

Is<"WrittenPage"> make_sweep_data(const SweepDirectory& sweep,
                                  const SweepPageLimits& limits,
                                  const std::string& target) {
    std::vector<std::size_t> unfinished;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        if (!sweep.finished[p]) {
            unfinished.push_back(p);
        }
    }
    std::vector<std::string> left_out;
    auto metrics = metric_list(sweep, limits, left_out);
    auto made = object<"Sweep">(
        field<"name">(sweep.name),
        field<"directory">(sweep.directory),
        field<"answer">(sweep_answer(sweep)),
        field<"defaults">(defaults(sweep)),
        field<"target">(target),
        field<"axes">(axis_list(sweep)),
        field<"keys">(sweep.keys),
        field<"unfinished">(std::move(unfinished)),
        field<"replications">(sweep.replications),
        field<"seeds">(sweep.seeds),
        field<"t95">(list_of(std::views::iota(std::size_t{0}, sweep.replications.size()),
                             [](std::size_t n) { return rounded(student_t95(n)); })),
        field<"metrics">(std::move(metrics)),
        field<"leftOut">(std::move(left_out)),
        field<"against">(against(sweep, limits)),
        field<"configuration">(sweep.configuration));
    auto out = object<"WrittenPage">(
        field<"schema">("berth.page/v1"),
        field<"definitions">(definitions(list_of(sweep.metrics, &SweepMetric::name))),
        field<"runs">(std::vector<Is<"WrittenRun">>()));
    add_to_some<"WrittenPage">(out, field<"sweep">(std::move(made)));
    return out;
}

}  // namespace berth::report
