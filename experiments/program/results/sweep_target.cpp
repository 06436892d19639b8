#include "experiments/program/results/sweep_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/support/parse_number.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/results/sweep_tables.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "experiments/program/support/measured.hpp"

namespace berth::report {
namespace {

[[noreturn]] void fail(const std::string& message) {
    throw core::InputError("--target: error: " + message);
}

/// Reads a number in the unit of a metric: `10m` for seconds, `95%` for shares, `64Gi` for bytes.
std::optional<double> number_in(std::string_view unit, std::string_view text) {
    if (const auto number = core::parse_number<double>(text)) {
        return number;
    }
    if (unit == "s") {
        return seconds_in(text);
    }
    if (text.ends_with('%') && (unit == "share" || unit == "%")) {
        const auto percent = core::parse_number<double>(text.substr(0, text.size() - 1));
        return percent ? std::optional(unit == "%" ? *percent : *percent / 100) : std::nullopt;
    }
    return quantity_in(text);
}

/// Reads a value that a metric can have: shares are from 0 to 1.
std::optional<double> value_in(std::string_view unit, std::string_view text) {
    const std::optional<double> value = number_in(unit, text);
    const double most = unit == "share" ? 1 : unit == "%" ? 100 : 0;  // 0: it has no bound
    const bool is_possible =
        value && std::isfinite(*value) && (most == 0 || (*value >= 0 && *value <= most));
    return is_possible ? value : std::nullopt;
}

/// The mean at a point and the worse end of its interval. Points without a value have none.
struct Reached {
    std::size_t point = 0;
    double mean = 0;
    double worse = 0;
};

std::vector<Reached> reached(const SweepDirectory& sweep, const SweepTarget& target) {
    const auto metric = std::ranges::find(sweep.metrics, target.metric, &SweepMetric::name);
    const auto count = static_cast<std::ptrdiff_t>(sweep.replications.size());
    std::vector<Reached> out;
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        const auto begin = metric->values.begin() + static_cast<std::ptrdiff_t>(p) * count;
        Samples known{target.metric, {}};
        std::copy_if(begin, begin + count, std::back_inserter(known.values), [](double v) {
            return !std::isnan(v);
        });
        if (!known.values.empty()) {
            const Distribution d = describe_replications(known);
            const double half = d.ci95.value_or(0);
            out.push_back({p, d.mean, d.mean + (target.at_most ? half : -half)});
        }
    }
    return out;
}

}  // namespace

std::string_view metric_unit(const std::string& metric) {
    const MetricRecord* record = find_metric(metric);
    return record == nullptr ? "" : record->unit;
}

std::string wait_of_share(std::string_view metric) {
    constexpr std::string_view before = "job_wait_over_";
    constexpr std::string_view after = "_share";
    metric = metric.substr(0, metric.find('['));
    if (!metric.starts_with(before) || !metric.ends_with(after) ||
        metric.size() <= before.size() + after.size()) {
        return "";
    }
    return std::string(metric.substr(before.size(), metric.size() - before.size() - after.size()));
}

std::optional<SweepTarget> parse_target(const std::string& text, std::string& why) {
    std::string plain = text;
    std::erase(plain, ' ');
    const std::size_t sign = plain.find_first_of("<>=!");
    const std::string_view rest = std::string_view(plain).substr(std::min(sign, plain.size()));
    if (sign == 0 || !(rest.starts_with("<=") || rest.starts_with(">="))) {
        why = fmt::format(
            "'{}' has no <= or >= behind a metric: expected METRIC<=VALUE or METRIC>=VALUE, such "
            "as 'job_wait_s_p95<=10m'",
            text);
        return std::nullopt;
    }
    SweepTarget out{plain.substr(0, sign), rest.front() == '<', 0};
    const std::string_view unit = metric_unit(out.metric);
    auto bound = value_in(unit, rest.substr(2));
    if (!bound && find_metric(out.metric) == nullptr) {
        bound = seconds_in(rest.substr(2));  // the caller says that the metric is unknown
    }
    if (!bound) {
        why = fmt::format("'{}' is no value of {}: expected {}",
                          rest.substr(2),
                          out.metric,
                          unit == "s"       ? "a duration such as 10m, or seconds"
                          : unit == "share" ? "a share from 0 to 1, such as 95% or 0.95"
                          : unit == "%"     ? "a number from 0 to 100"
                                            : "a number");
        return std::nullopt;
    }
    out.bound = *bound;
    return out;
}

SweepTarget read_target(const SweepDirectory& sweep, const std::string& text) {
    std::string why;
    std::optional<SweepTarget> out = parse_target(text, why);
    if (!out) {
        fail(why);
    }
    std::vector<std::string> names;
    std::ranges::transform(sweep.metrics, std::back_inserter(names), &SweepMetric::name);
    if (std::ranges::find(names, out->metric) == names.end()) {
        fail(fmt::format("unknown metric '{}': expected one of the sweep's{}",
                         out->metric,
                         core::suggestion(out->metric, names)));
    }
    return *std::move(out);
}

std::string target_text(const SweepDirectory& sweep, const std::string& text, bool& met) {
    const SweepTarget target = read_target(sweep, text);
    const std::vector<Reached> points = reached(sweep, target);
    const auto holds = [&](const Reached& one) {
        return target.at_most ? one.worse <= target.bound : one.worse >= target.bound;
    };
    const auto count = std::ranges::count_if(points, holds);
    met = count > 0;
    if (met) {
        return fmt::format(
            "{} of {} points meet{} {}", count, points.size(), count == 1 ? "s" : "", text);
    }
    if (points.empty()) {
        return fmt::format("no finished point has {}: let berth sweep finish some", target.metric);
    }
    const auto nearest = std::ranges::min_element(
        points, {}, [&](const Reached& one) { return target.at_most ? one.worse : -one.worse; });
    return fmt::format(
        "no point meets {}: the nearest is {} with {} ({} at the worse end of its "
        "interval); add values to an axis, more replications, or ask for less",
        text,
        point_name(sweep, nearest->point),
        value_text(metric_unit(target.metric), nearest->mean).value,
        value_text(metric_unit(target.metric), nearest->worse).value);
}

}  // namespace berth::report
