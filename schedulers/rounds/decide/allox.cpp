#include "schedulers/rounds/decide/allox.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "schedulers/rounds/decide/assignment.hpp"

namespace berth::core::rounds {
namespace {

/// What a job costs at a position of a GPU's queue: its run time counts as often as there are jobs
/// up to the end of the queue.
struct Costs {
    std::size_t gpus = 0;
    std::vector<double> run_time;
    std::vector<double> age;

    double operator()(std::size_t row, std::size_t column) const {
        const std::size_t position = column / gpus + 1;
        return double(position) * run_time[row] + age[row];
    }
};

/// For each GPU, the row whose position is the highest, which runs first; nothing if it has none.
std::vector<std::optional<std::size_t>> first_of_queues(const Costs& costs) {
    const std::size_t rows = costs.run_time.size();
    const Assignment<Costs> matched(rows, costs.gpus * rows, costs);
    std::vector<std::optional<std::size_t>> first(costs.gpus);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t column = matched.columns()[row];
        std::optional<std::size_t>& now = first[column % costs.gpus];
        if (!now || matched.columns()[*now] < column) {
            now = row;
        }
    }
    return first;
}

/// Gives the first job of each GPU's queue one GPU's worth of time.
void match(const ActiveJobs& jobs,
           const std::vector<std::size_t>& others,
           std::size_t free,
           Shares& shares) {
    Costs costs{free, {}, {}};
    for (const std::size_t i : others) {
        costs.run_time.push_back(double(jobs.left[i]) / 1e6 / (double(jobs.speed[i]) / 1e6));
        costs.age.push_back(in_seconds(jobs.age[i]));
    }
    for (const auto& row : first_of_queues(costs)) {
        if (row) {
            shares[others[*row]] = 1.0 / double(jobs.gpus[others[*row]]);
        }
    }
}

}  // namespace

Shares Allox::shares(const ActiveJobs& jobs) {
    Shares shares(jobs.size());
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto given = given_.find(jobs.number[i]);
        shares[i] = given == given_.end() ? 0 : given->second;
        if (shares[i] != 1) {
            others.push_back(i);
        }
    }
    const std::size_t free = static_cast<std::size_t>(gpus_) - (jobs.size() - others.size());
    std::ranges::stable_sort(
        others, [&](std::size_t a, std::size_t b) { return jobs.age[a] > jobs.age[b]; });
    others.resize(std::min(others.size(), std::max(others.size() / 5, free)));
    if (free > 0 && !others.empty()) {
        match(jobs, others, free, shares);
    }
    given_.clear();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        given_.emplace_hint(given_.end(), jobs.number[i], shares[i]);
    }
    return shares;
}

}  // namespace berth::core::rounds
