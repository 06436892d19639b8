#include "experiments/program/results/statistics.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/mpfr_number.hpp"
#include "core/support/rounded_math.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace {

using core::MpfrNumber;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Computes 1 + c^2 1/2 + c^4 (1 3)/(2 4) + ... up to c^(degrees - 2) for even degrees, and 1 + c^2
/// 2/3 + c^4 (2 4)/(3 5) + ... up to c^(degrees - 3) for odd ones; for 1 degree there is no term.
void sum_terms(MpfrNumber& sum, const MpfrNumber& square, unsigned long degrees) {
    MpfrNumber term(mpfr_get_prec(sum.get()));
    mpfr_set_ui(term.get(), 1, MPFR_RNDN);
    mpfr_set_ui(sum.get(), degrees == 1 ? 0 : 1, MPFR_RNDN);
    for (unsigned long last = degrees % 2 + 2; last < degrees; last += 2) {
        mpfr_mul(term.get(), term.get(), square.get(), MPFR_RNDN);
        mpfr_mul_ui(term.get(), term.get(), last - 1, MPFR_RNDN);
        mpfr_div_ui(term.get(), term.get(), last, MPFR_RNDN);
        mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
    }
}

/// For odd degrees: adds the angle whose tangent is t / sqrt(degrees), and converts the sum to
/// parts of a right angle.
void add_angle(MpfrNumber& sum, const MpfrNumber& t, unsigned long degrees) {
    const mpfr_prec_t bits = mpfr_get_prec(sum.get());
    MpfrNumber part(bits);
    mpfr_sqrt_ui(part.get(), degrees, MPFR_RNDN);
    mpfr_div(part.get(), t.get(), part.get(), MPFR_RNDN);
    mpfr_atan(part.get(), part.get(), MPFR_RNDN);
    mpfr_add(sum.get(), sum.get(), part.get(), MPFR_RNDN);
    mpfr_const_pi(part.get(), MPFR_RNDN);
    mpfr_div(sum.get(), sum.get(), part.get(), MPFR_RNDN);
    mpfr_mul_2ui(sum.get(), sum.get(), 1, MPFR_RNDN);
}

/// The probability of a number outside of -t to t, for t of at least 0: 1 - A(t).
/// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4.
void set_outside(MpfrNumber& out, const MpfrNumber& t, unsigned long degrees) {
    const mpfr_prec_t bits = mpfr_get_prec(out.get());
    MpfrNumber squares(bits);
    mpfr_sqr(squares.get(), t.get(), MPFR_RNDN);
    mpfr_add_ui(squares.get(), squares.get(), degrees, MPFR_RNDN);
    MpfrNumber factor(bits);
    mpfr_ui_div(factor.get(), degrees, squares.get(), MPFR_RNDN);  // the squared cosine
    sum_terms(out, factor, degrees);
    mpfr_sqrt(factor.get(), factor.get(), MPFR_RNDN);
    if (degrees % 2 == 1) {
        mpfr_mul(out.get(), out.get(), factor.get(), MPFR_RNDN);
    }
    mpfr_rec_sqrt(factor.get(), squares.get(), MPFR_RNDN);
    mpfr_mul(out.get(), out.get(), factor.get(), MPFR_RNDN);  // times the sine
    mpfr_mul(out.get(), out.get(), t.get(), MPFR_RNDN);
    if (degrees % 2 == 1) {
        add_angle(out, t, degrees);
    }
    mpfr_ui_sub(out.get(), 1, out.get(), MPFR_RNDN);
}

/// Whether the midpoint of two neighbours is below the quantile: more than 5% is outside of it.
bool middle_is_below(double low, double high, std::size_t degrees) {
    constexpr mpfr_prec_t bits = 256;
    MpfrNumber middle(bits);
    mpfr_set_d(middle.get(), low, MPFR_RNDN);
    mpfr_add_d(middle.get(), middle.get(), high, MPFR_RNDN);
    mpfr_div_2ui(middle.get(), middle.get(), 1, MPFR_RNDN);
    MpfrNumber outside(bits);
    set_outside(outside, middle, degrees);
    mpfr_mul_ui(outside.get(), outside.get(), 20, MPFR_RNDN);
    return mpfr_cmp_ui(outside.get(), 1) > 0;
}

double quantile95(std::size_t degrees) {
    const boost::math::students_t student(static_cast<double>(degrees));
    double t = boost::math::quantile(student, 0.975);  // the quantile or a number near it
    while (!middle_is_below(std::nextafter(t, 0), t, degrees)) {
        t = std::nextafter(t, 0);
    }
    while (middle_is_below(t, std::nextafter(t, infinity), degrees)) {
        t = std::nextafter(t, infinity);
    }
    return t;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t classes_max = 60;

}  // namespace

double student_t95(std::size_t degrees) {
    struct Known {
        std::size_t degrees = 0;
        double t = 0;
    };
    if (degrees == 0) {
        return 0;
    }
    thread_local Known last;  // most metrics of a summary have the same degrees
    if (degrees != last.degrees) {
        last = {degrees, quantile95(degrees)};
    }
    return last.t;
}

double student_p(double t, std::size_t degrees) {
    BERTH_ASSERT(degrees > 0 && !std::isnan(t), "a test has a t and degrees of freedom");
    // Subtracting from 1 loses as many bits as the result has leading zeros.
    constexpr mpfr_prec_t bits_last = 4096;
    constexpr mpfr_exp_t bits_needed = 128;
    const MpfrNumber size(std::abs(t));
    for (mpfr_prec_t bits = 256; bits <= bits_last; bits *= 2) {
        MpfrNumber outside(bits);
        set_outside(outside, size, degrees);
        if (mpfr_regular_p(outside.get()) != 0 &&
            mpfr_get_exp(outside.get()) + bits > bits_needed) {
            return mpfr_get_d(outside.get(), MPFR_RNDN);
        }
    }
    return 0;  // below the smallest double
}

double round_step(double width) {
    const double power = power_of_ten(decimal_exponent(width));
    for (const double step : {1.0, 2.0, 5.0}) {
        if (step * power >= width * (1 - 1e-9)) {
            return step * power;
        }
    }
    return 10 * power;
}

Spread spread_of(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    Spread out{std::accumulate(values.begin(), values.end(), 0.0) / count, 0};
    if (values.size() > 1) {
        double squares = 0;
        for (const double value : values) {
            squares += (value - out.mean) * (value - out.mean);
        }
        out.sd = std::sqrt(squares / (count - 1));
    }
    return out;
}

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

Histogram make_histogram(std::vector<double> values) {
    Histogram histogram;
    if (values.empty()) {
        return histogram;
    }
    std::ranges::sort(values);
    const double low = values.front();
    const double range = values.back() - low;
    histogram.whole = range < static_cast<double>(classes_max) &&
                      std::ranges::all_of(values, [](double v) { return v == std::floor(v); });
    if (histogram.whole) {
        histogram.from = low;
        histogram.counts.resize(static_cast<std::size_t>(range) + 1);
    } else if (range == 0) {
        histogram.width = low == 0 ? 1 : round_step(std::abs(low) / 10);
        histogram.from = std::floor(low / histogram.width) * histogram.width;
        histogram.counts.resize(1);
    } else {
        const double spread = quantile(values, 0.75) - quantile(values, 0.25);
        const double count = static_cast<double>(values.size());
        const double wanted = 2 * spread / core::rounded_pow(count, 1.0 / 3);
        const double narrowest = range / (static_cast<double>(classes_max) / 2.5);
        const double widest = range / 8;
        histogram.width = round_step(std::clamp(wanted, narrowest, std::max(narrowest, widest)));
        histogram.from = std::floor(low / histogram.width) * histogram.width;
        const double classes = std::floor((values.back() - histogram.from) / histogram.width) + 1;
        histogram.counts.resize(static_cast<std::size_t>(classes));
    }
    for (const double value : values) {
        const double classes_before = (value - histogram.from) / histogram.width;
        const auto at = static_cast<std::size_t>(std::max(0.0, classes_before));
        ++histogram.counts[std::min(at, histogram.counts.size() - 1)];
    }
    return histogram;
}

Distribution describe(const Samples& samples) {
    std::vector<double> sorted = samples.values;
    std::ranges::sort(sorted);
    Distribution out;
    out.name = samples.name;
    out.count = sorted.size();
    const Spread spread = spread_of(sorted);
    out.mean = spread.mean;
    out.sd = spread.sd;
    out.min = sorted.front();
    out.lower_quartile = quantile(sorted, 0.25);
    out.median = quantile(sorted, 0.5);
    out.upper_quartile = quantile(sorted, 0.75);
    out.p95 = quantile(sorted, 0.95);
    out.max = sorted.back();
    out.histogram = make_histogram(std::move(sorted));
    return out;
}

Distribution describe_replications(const Samples& samples) {
    Distribution out = describe(samples);
    if (out.count > 1) {
        const double error = out.sd / std::sqrt(static_cast<double>(out.count));
        out.ci95 = student_t95(out.count - 1) * error;
    }
    return out;
}

namespace {

/// Computes for every value that ended the share of values that are at most as long. The longest
/// value that goes on comes last.
Cumulative product_limit(const Samples& samples) {
    std::vector<std::pair<double, bool>> sorted;  // the bool: whether the value goes on
    for (const double value : samples.values) {
        sorted.emplace_back(value, false);
    }
    for (const double value : samples.going_on) {
        sorted.emplace_back(value, true);
    }
    std::ranges::sort(sorted);
    Cumulative all;
    double share = 0;
    // the share at the last value that goes on; left_then: how many values were left there
    double share_then = 0;
    std::size_t left_then = sorted.size();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto [value, goes_on] = sorted[i];
        const std::size_t left = sorted.size() - i - 1;
        if (goes_on) {
            share_then = share;
            left_then = left;
            continue;
        }
        share = share_then + (1 - share_then) * static_cast<double>(left_then - left) /
                                 static_cast<double>(left_then);
        if (left == 0 || sorted[i + 1] != sorted[i]) {
            all.value.push_back(value);
            all.share.push_back(share);
        }
    }
    if (sorted.back().first > all.value.back()) {
        all.value.push_back(sorted.back().first);
        all.share.push_back(share);
    }
    return all;
}

}  // namespace

Cumulative make_cumulative(const Samples& samples, std::size_t points) {
    Cumulative all = product_limit(samples);
    if (all.value.size() <= points) {
        return all;
    }
    std::vector<bool> kept(all.value.size());
    kept.front() = kept.back() = true;
    for (std::size_t k = 1; k < points; ++k) {
        kept[k * (kept.size() - 1) / points] = true;
    }
    for (std::size_t rest = kept.size(); rest > 0; rest /= 2) {
        kept[kept.size() - rest] = true;
    }
    Cumulative out;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i]) {
            out.value.push_back(all.value[i]);
            out.share.push_back(all.share[i]);
        }
    }
    return out;
}

ReplicationSeries downsample(const ReplicationSeries& series, std::size_t buckets) {
    const std::size_t rows = series.time_s.size();
    if (rows <= 2 * buckets + 2) {
        return series;
    }
    ReplicationSeries out{series.replication, {}, {}};
    out.values.resize(series.values.size());
    const auto keep = [&](std::size_t row) {
        out.time_s.push_back(series.time_s[row]);
        for (std::size_t c = 0; c < series.values.size(); ++c) {
            out.values[c].push_back(series.values[c][row]);
        }
    };
    keep(0);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        // The first and the last row are kept as they are.
        const std::size_t begin = 1 + bucket * (rows - 2) / buckets;
        const std::size_t end = 1 + (bucket + 1) * (rows - 2) / buckets;
        out.time_s.push_back(series.time_s[begin]);
        out.time_s.push_back(series.time_s[end - 1]);
        for (std::size_t c = 0; c < series.values.size(); ++c) {
            const std::vector<double>& column = series.values[c];
            std::size_t least = begin;
            std::size_t greatest = begin;
            for (std::size_t row = begin; row < end; ++row) {
                least = column[row] < column[least] || std::isnan(column[least]) ? row : least;
                greatest =
                    column[row] > column[greatest] || std::isnan(column[greatest]) ? row : greatest;
            }
            out.values[c].push_back(column[std::min(least, greatest)]);
            out.values[c].push_back(column[std::max(least, greatest)]);
        }
    }
    keep(rows - 1);
    return out;
}

SeriesBand join_replications(const TimeSeries& series, std::size_t points_max) {
    SeriesBand band;
    double last = -std::numeric_limits<double>::infinity();
    double first = -last;
    bool same = true;
    for (const ReplicationSeries& one : series.replications) {
        if (!one.time_s.empty()) {
            first = std::min(first, one.time_s.front());
            last = std::max(last, one.time_s.back());
        }
        same = same && one.time_s == series.replications.front().time_s;
    }
    if (last < first) {
        return band;
    }
    if (same && series.replications.front().time_s.size() <= points_max) {
        band.time_s = series.replications.front().time_s;
    } else {
        for (std::size_t i = 0; i < points_max; ++i) {
            const double share = static_cast<double>(i) / static_cast<double>(points_max - 1);
            band.time_s.push_back(std::lerp(first, last, share));
        }
    }
    const std::size_t points = band.time_s.size();
    for (std::size_t c = 0; c < series.columns.size(); ++c) {
        std::vector<double> sum(points);
        std::vector<double> count(points);
        std::vector<double> low(points, not_a_number);
        std::vector<double> high(points, not_a_number);
        for (const ReplicationSeries& one : series.replications) {
            std::size_t row = 0;
            for (std::size_t i = 0; i < points; ++i) {
                if (!same || points != one.time_s.size()) {
                    while (row < one.time_s.size() && one.time_s[row] <= band.time_s[i]) {
                        ++row;
                    }
                } else {
                    row = i + 1;
                }
                const double value = row == 0 ? not_a_number : one.values[c][row - 1];
                if (!std::isnan(value)) {
                    sum[i] += value;
                    count[i] += 1;
                    low[i] = std::fmin(low[i], value);
                    high[i] = std::fmax(high[i], value);
                }
            }
        }
        for (std::size_t i = 0; i < points; ++i) {
            sum[i] = count[i] == 0 ? not_a_number : sum[i] / count[i];
        }
        band.mean.push_back(std::move(sum));
        band.low.push_back(std::move(low));
        band.high.push_back(std::move(high));
    }
    return band;
}

namespace {

/// A quota's message without the amounts at that moment: `the quota team-a did not admit it`.
std::string without_amounts(const std::string& message) {
    const std::size_t colon = message.find(": ");
    return message.starts_with("quota ") && colon != std::string::npos
               ? "the " + message.substr(0, colon) + " did not admit it"
               : message;
}

}  // namespace

std::vector<std::string> causes_of(const std::string& message) {
    static const std::string marker = "nodes are available: ";
    std::size_t at = message.find(marker);
    if (at == std::string::npos) {
        return {without_amounts(message)};
    }
    std::vector<std::string> causes;
    at += marker.size();
    while (at < message.size()) {
        const std::size_t end = std::min(message.find(", ", at), message.size());
        std::string part = message.substr(at, end - at);
        at = end + 2;
        part.erase(0, std::min(part.find_first_not_of("0123456789 "), part.size()));
        while (part.ends_with('.') || part.ends_with(' ')) {
            part.pop_back();
        }
        if (!part.empty()) {
            causes.push_back(std::move(part));
        }
    }
    return causes.empty() ? std::vector<std::string>{message} : causes;
}

}  // namespace berth::report
