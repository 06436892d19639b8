#include "sim/meter/censored_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

__extension__ using Wide = __int128;

constexpr int whole = 1000;  ///< Percentiles are in thousandths.

/// How far rounding may take a share of survivors from the fraction that it stands for.
constexpr double rounding = 1e-12;

std::string percentile_name(const std::string& prefix, int thousandths) {
    return thousandths == whole ? prefix + "_max"
                                : fmt::format("{}_p{}", prefix, thousandths / (whole / 100));
}

}  // namespace

void CensoredSample::keep(double value, std::int64_t weight, bool ended) {
    BERTH_ASSERT(weight >= 0, "a weight counts something");
    if (buckets_) {
        if (weight > 0) {
            buckets_->add(value, weight, ended);
        }
        return;
    }
    // Members of a group often wait equally long.
    if (!values_.empty() && values_.back().value == value && values_.back().ended() == ended) {
        values_.back().add(weight);
    } else if (weight > 0) {
        values_.emplace_back(value, weight, ended);
        if (values_.size() > values_max) {
            count_in_buckets();
        }
    }
}

void CensoredSample::count_in_buckets() {
    if (buckets_) {
        return;
    }
    buckets_.emplace(mean("").value.value_or(0));
    for (const Value& value : values_) {
        buckets_->add(value.value, value.weight(), value.ended());
    }
    values_ = {};
}

void CensoredSample::add(const CensoredSample& other) {
    if (other.buckets_) {
        count_in_buckets();
        buckets_->add(*other.buckets_);
    }
    if (buckets_ || values_.size() + other.values_.size() > values_max) {
        count_in_buckets();
        for (const Value& value : other.values_) {
            buckets_->add(value.value, value.weight(), value.ended());
        }
    } else {
        values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    }
    never_ += other.never_;
    never_started_ += other.never_started_;
}

std::int64_t CensoredSample::weight() const {
    if (buckets_) {
        return buckets_->weight();
    }
    std::int64_t sum = 0;
    for (const Value& value : values_) {
        sum += value.weight();
    }
    return sum;
}

Metric CensoredSample::blank(std::string name) const {
    const std::int64_t all = never_ + weight();
    Metric metric{std::move(name)};
    BERTH_ASSERT(never_started_ <= all,
                 "no more values are of jobs that never started than there are");
    if (all > 0) {
        metric.never_started = static_cast<double>(never_started_) / static_cast<double>(all);
    }
    return metric;
}

Metric CensoredSample::mean(std::string name) const {
    double sum = 0;
    double sum_of_ended = 0;
    std::int64_t weight = 0;
    std::int64_t weight_of_ended = 0;
    for (const Value& value : values_) {
        const double part = value.value * static_cast<double>(value.weight());
        sum += part;
        weight += value.weight();
        sum_of_ended += value.ended() ? part : 0;
        weight_of_ended += value.ended() ? value.weight() : 0;
    }
    if (buckets_) {
        sum = buckets_->sum();
        weight = buckets_->weight();
        sum_of_ended = buckets_->sum_of_ended();
        weight_of_ended = buckets_->weight_of_ended();
    }
    Metric metric = blank(std::move(name));
    if (weight_of_ended > 0) {
        metric.value = sum_of_ended / static_cast<double>(weight_of_ended);
        double squares = 0;
        for (const Value& value : values_) {
            const double off = value.ended() ? value.value - *metric.value : 0;
            squares += off * off * static_cast<double>(value.weight());
        }
        metric.spread = buckets_ ? buckets_->spread()
                                 : std::sqrt(squares / static_cast<double>(weight_of_ended));
    }
    if (weight > weight_of_ended) {
        metric.at_least = sum / static_cast<double>(weight);
    }
    return metric;
}

/// The values in ascending order. Among equal values, those that ended come before those that go
/// on, because the latter are longer.
std::vector<CensoredSample::Value> CensoredSample::sorted() const {
    if (!buckets_) {
        std::vector<Value> values = values_;
        std::ranges::sort(values, [](const Value& a, const Value& b) {
            return a.value != b.value ? a.value < b.value : a.ended() && !b.ended();
        });
        return values;
    }
    std::vector<Value> values;
    for (const ValueBuckets::Count& count : buckets_->counts()) {
        values.emplace_back(count.value, count.weight, count.ended);
    }
    return values;
}

/// Whether every value ended and counts once.
bool CensoredSample::is_plain() const {
    return !buckets_ && std::ranges::all_of(values_, [](const Value& value) {
        return value.ended() && value.weight() == 1;
    });
}

/// Adds the nearest ranks of values that all ended and count once. The values lose their order.
void CensoredSample::add_ranks(std::vector<Metric>& out,
                               const std::string& prefix,
                               const std::vector<int>& thousandths) {
    const auto all = static_cast<double>(values_.size());
    for (const int p : thousandths) {
        Metric metric = blank(percentile_name(prefix, p));
        const double longer = 1 - static_cast<double>(p) / whole;
        const auto left = std::views::iota(std::size_t{0}, values_.size());
        const auto rank = std::ranges::partition_point(left, [&](std::size_t below) {
            return static_cast<double>(values_.size() - below - 1) / all > longer + rounding;
        });
        if (rank != left.end()) {
            const auto at = values_.begin() + static_cast<std::ptrdiff_t>(*rank);
            std::ranges::nth_element(values_, at, {}, &Value::value);
            metric.value = at->value;
        }
        out.push_back(std::move(metric));
    }
}

void CensoredSample::add_statistics(std::vector<Metric>& out,
                                    const std::string& prefix,
                                    const std::vector<int>& thousandths) && {
    out.push_back(mean(prefix + "_mean"));
    if (is_plain()) {
        add_ranks(out, prefix, thousandths);
    } else {
        add_percentiles(out, prefix, thousandths);
    }
}

void CensoredSample::add_percentiles(std::vector<Metric>& out,
                                     const std::string& prefix,
                                     const std::vector<int>& thousandths) const {
    const std::vector<Value> values = sorted();
    const std::int64_t all = weight();
    for (const int p : thousandths) {
        Metric metric = blank(percentile_name(prefix, p));
        const double longer = 1 - static_cast<double>(p) / whole;
        // The share of values longer than the last censored one, and the weight that was left after
        // it.
        double survivors = 1;
        std::int64_t left_then = all;
        std::int64_t left = all;
        for (const Value& value : values) {
            left -= value.weight();
            BERTH_ASSERT(left >= 0 && left_then > 0, "no more values end than there are");
            const double now =
                survivors * static_cast<double>(left) / static_cast<double>(left_then);
            if (value.ended() && now <= longer + rounding) {
                metric.value = value.value;
                break;
            }
            if (!value.ended()) {
                const std::int64_t before = left + value.weight();
                survivors *= static_cast<double>(before) / static_cast<double>(left_then);
                left_then = left;
            }
            if (!metric.at_least && Wide{all - left} * whole >= Wide{all} * p) {
                metric.at_least = value.value;
            }
        }
        if (metric.value) {
            metric.at_least.reset();
        }
        out.push_back(std::move(metric));
    }
}

Metric CensoredSample::share_above(std::string name, double limit) const {
    Metric metric = blank(std::move(name));
    std::int64_t left = weight();
    if (left == 0) {
        return metric;
    }
    // The share of values longer than the last one that goes on and is not above the limit, and the
    // weight that was left after it.
    double survivors = 1;
    std::int64_t left_then = left;
    for (const Value& value : sorted()) {
        if (value.value > limit) {
            break;
        }
        if (!value.ended()) {
            survivors *= static_cast<double>(left) / static_cast<double>(left_then);
            left_then = left - value.weight();
        }
        left -= value.weight();
    }
    if (left_then > 0) {
        metric.value = survivors * static_cast<double>(left) / static_cast<double>(left_then);
    } else {
        metric.at_least = 0;
    }
    return metric;
}

}  // namespace berth::sim
