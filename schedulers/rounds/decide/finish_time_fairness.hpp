#pragma once

#include <cstdint>
#include <vector>

namespace berth::core::rounds {

/// What finish-time fairness goes by, for one job.
///
/// Units: seconds, steps, steps a second.
struct FairnessView {
    std::uint32_t job = 0;  ///< Names it from call to call.
    std::int32_t gpus = 0;
    double age = 0;
    double left = 0;         ///< The work that is left.
    double speed = 0;        ///< With all of its time.
    double speed_alone = 0;  ///< Alone on its part of the cluster.
};

/// The least that can be reached for the largest ratio, over all jobs, of the time that a job needs
/// with its share of time to the time that it would need alone on its part of the cluster. What the
/// shares leave of the GPUs' time is given out by multiplying all of them with one factor, so that
/// a share stops at 1.
///
/// Order:  sums go over the jobs in the order in which they are given.
/// Cost:   O(jobs) for each of some 20 ratios, and for each time that shares stop at 1.
/// Source: Themis (NSDI 2020), as Gavel (OSDI 2020) writes it down. There a solver decides what
///         becomes of time that the least ratio does not need.
class FinishTimeFairness {
public:
    explicit FinishTimeFairness(std::int64_t gpus) : gpus_(gpus) {}

    /// Call this whenever jobs came or left, or what is believed about them has changed.
    /// Returns: the shares of the jobs, from 0 to 1, in the order in which they are given, until
    ///          the next call.
    [[nodiscard]] const std::vector<double>& shares(const std::vector<FairnessView>& jobs);
    /// The job has ended; another may get its name.
    void forget(std::uint32_t job);

private:
    /// What the ratio of a job depends on, in seconds.
    struct Need {
        double gpus = 0;
        double age = 0;
        double work = 0;   ///< What is left of it, with all of its time.
        double alone = 0;  ///< From its arrival to its end, alone.
    };
    /// What was known of a job at the last call.
    struct Past {
        double alone = 0;  ///< The time that its work so far would have taken alone.
        double left = 0;
        double speed_alone = 0;
        bool is_known = false;
    };

    void look(const std::vector<FairnessView>& jobs);
    [[nodiscard]] bool reaches(double ratio);
    [[nodiscard]] double near_least_ratio() const;
    void find_shares();
    void give_out_the_rest();

    std::int64_t gpus_;
    std::vector<Past> past_;  ///< By the name of the job.
    std::vector<Need> needs_;
    std::vector<double> shares_;
};

}  // namespace berth::core::rounds
