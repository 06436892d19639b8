#include "experiments/report/sweep_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/page_json.hpp"
#include "experiments/report/run_directory.hpp"
#include "experiments/report/statistics.hpp"
#include "experiments/report/sweep_choice.hpp"

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

/// Floats of seven digits: more than six that are shown, and the same bytes on every machine.
std::string packed(const std::vector<double>& values) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(values.size() * 4);
    for (const double value : values) {
        // One bit pattern for all that is no number.
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

/// One value a point, if no replication differs from the first.
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

/// The value of all finished points, if it is one.
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

/// A metric's values as JSON, and how many they are.
Json metric_values(const SweepDirectory& sweep, const SweepMetric& metric, std::size_t& count) {
    const auto few = by_point(metric, sweep.replications.size());
    const auto one = few ? one_for_all(sweep, *few) : std::nullopt;
    count = one ? 0 : few ? few->size() : metric.values.size();
    return one ? rounded(*one) : Json(packed(few ? *few : metric.values));
}

Json metric_list(const SweepDirectory& sweep, const SweepPageLimits& limits, Json& left_out) {
    std::vector<Json> made(sweep.metrics.size());
    std::size_t used = 0;
    for (const bool quotas : {false, true}) {
        for (std::size_t m = 0; m < sweep.metrics.size(); ++m) {
            const SweepMetric& metric = sweep.metrics[m];
            const bool none =
                std::ranges::all_of(metric.values, [](double v) { return std::isnan(v); });
            if (none || is_of_quota(metric.name) != quotas) {
                continue;
            }
            std::size_t count = 0;
            Json values = metric_values(sweep, metric, count);
            if (used + count > limits.values) {
                left_out.push_back(metric.name);
                continue;
            }
            used += count;
            made[m] = {{"name", metric.name}, {"values", std::move(values)}};
        }
    }
    Json list = Json::array();
    for (Json& metric : made) {
        if (!metric.is_null()) {
            list.push_back(std::move(metric));
        }
    }
    return list;
}

Json axis_list(const SweepDirectory& sweep) {
    Json list = Json::array();
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
        const SweepAxis& axis = sweep.axes[a];
        Json at = Json::array();
        for (const std::vector<std::size_t>& point : sweep.points) {
            at.push_back(point[a]);
        }
        list.push_back({{"name", axis.name},
                        {"values", axis.values},
                        {"numbers", axis.numeric() ? rounded_list(axis.numbers) : Json(nullptr)},
                        {"points", std::move(at)}});
    }
    return list;
}

Json defaults(const SweepDirectory& sweep) {
    const SweepChoice choice = choose(sweep, {});
    const auto name = [&](std::optional<std::size_t> axis) {
        return axis ? Json(sweep.axes[*axis].name) : Json(nullptr);
    };
    return {{"metric", sweep.metrics[choice.metric].name},
            {"x", name(choice.x)},
            {"by", name(choice.by)},
            {"panel", name(choice.panel)}};
}

}  // namespace

Json make_sweep_data(const SweepDirectory& sweep, const SweepPageLimits& limits) {
    Json unfinished = Json::array();
    for (std::size_t p = 0; p < sweep.points.size(); ++p) {
        if (!sweep.finished[p]) {
            unfinished.push_back(p);
        }
    }
    Json t95 = Json::array();
    for (std::size_t n = 0; n < sweep.replications.size(); ++n) {
        t95.push_back(rounded(student_t95(n)));
    }
    Json left_out = Json::array();
    Json metrics = metric_list(sweep, limits, left_out);
    Json made = {{"name", sweep.name},
                 {"directory", sweep.directory},
                 {"defaults", defaults(sweep)},
                 {"axes", axis_list(sweep)},
                 {"keys", sweep.keys},
                 {"unfinished", std::move(unfinished)},
                 {"replications", sweep.replications},
                 {"seeds", sweep.seeds},
                 {"t95", std::move(t95)},
                 {"metrics", std::move(metrics)},
                 {"leftOut", std::move(left_out)},
                 {"configuration", sweep.configuration}};
    return {{"schema", "berth.page/v1"}, {"runs", Json::array()}, {"sweep", std::move(made)}};
}

}  // namespace berth::report
