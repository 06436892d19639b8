#pragma once

#include <cstdint>
#include <vector>

namespace berth::experiments {

/// A run time that was seen, as a multiple of its job's limit.
struct SeenRatio {
    double ratio = 0;
    bool ended = false;  ///< Otherwise the job runs on: all that is known is that it runs longer.
    double weight = 0;
};

/// The chance that a job runs longer than a multiple of its limit, by what was seen of others.
///
/// Source: Kaplan and Meier, "Nonparametric estimation from incomplete observations", 1958, with
///         weights.
/// Cost:   O(n) to make from ratios in order, O(log n) to read.
class RunTimeCurve {
public:
    RunTimeCurve() = default;
    /// `seen`: in ascending order of ratios; of equal ones, those that ended come first.
    explicit RunTimeCurve(const std::vector<SeenRatio>& seen);

    /// P(ratio > x), and P(ratio >= x).
    [[nodiscard]] double longer_than(double x) const;
    [[nodiscard]] double at_least(double x) const;
    /// The least ratio that a job which has run for the multiple `ran` does not exceed with
    /// probability `u`, which lies between 0 and 1. Beyond all that was seen, it is the limit, the
    /// greatest ratio that was seen, or a little more than the job has run, whichever is greatest.
    [[nodiscard]] double quantile(double u, double ran) const;

private:
    struct Step {
        double ratio = 0;
        double longer = 1;  ///< P(ratio > this ratio).
    };
    std::vector<Step> steps_;
    double last_seen_ = 0;  ///< The greatest ratio, also of a job that runs on.
};

}  // namespace berth::experiments
