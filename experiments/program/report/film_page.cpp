#include "experiments/program/report/film_page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/program/report/page_json.hpp"

namespace berth::report {
namespace {

constexpr std::size_t moments_min = 60;
constexpr std::size_t moments_max = 181;  // a step of eight minutes for a day
constexpr double levels = 200;            // steps of half a percent

/// The resources of which pods take something; empty unless every demand is known.
std::vector<std::size_t> taken_resources(const Cluster& cluster) {
    std::vector<std::size_t> taken;
    std::vector<bool> used(cluster.demands.size());
    for (const PodRow& pod : cluster.pods) {
        used[pod.demand] = true;
        if (cluster.demands[pod.demand].empty()) {
            return {};
        }
    }
    for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
        for (std::size_t d = 1; d < cluster.demands.size(); ++d) {
            if (used[d] && cluster.demands[d][r] > 0) {
                taken.push_back(r);
                break;
            }
        }
    }
    return taken;
}

/// The first moment at or after a time; `count` if there is none.
std::size_t moment_at(double time_s, double step_s, std::size_t count) {
    if (!std::isfinite(time_s)) {
        return count;
    }
    const double moment = std::ceil(time_s / step_s - 1e-9);
    return static_cast<std::size_t>(std::clamp(moment, 0.0, static_cast<double>(count)));
}

/// Sums what pods take of one resource, by moment and cell, from its changes.
class Sums {
public:
    Sums(std::size_t moments, std::size_t cells)
        : moments_(moments), cells_(cells), changes_(moments * cells) {}

    void add(const PodRow& pod, double amount, double step_s) {
        const std::size_t from = moment_at(pod.start_s, step_s, moments_);
        const std::size_t until = moment_at(pod.finish_s, step_s, moments_);
        if (from < until) {
            changes_[from * cells_ + pod.node] += amount;
            if (until < moments_) {
                changes_[until * cells_ + pod.node] -= amount;
            }
        }
    }

    /// The use in levels of the capacities. The list alternates between a number of (cell, moment)
    /// pairs that stay the same, and a change.
    std::vector<std::int64_t> shares(const std::vector<double>& capacity,
                                     const std::vector<double>& background) {
        std::vector<std::int64_t> out;
        std::vector<std::int64_t> now(cells_);
        std::vector<double> amount(background);
        std::int64_t same = 0;
        for (std::size_t m = 0; m < moments_; ++m) {
            for (std::size_t c = 0; c < cells_; ++c) {
                amount[c] += changes_[m * cells_ + c];
                const double share = capacity[c] > 0 ? amount[c] / capacity[c] : 0;
                const auto level = std::llround(std::clamp(share, 0.0, 1.0) * levels);
                if (level == now[c]) {
                    ++same;
                    continue;
                }
                out.push_back(same);
                out.push_back(level - now[c]);
                now[c] = level;
                same = 0;
            }
        }
        return out;
    }

private:
    std::size_t moments_;
    std::size_t cells_;
    std::vector<double> changes_;
};

Is<"Packed"> running_data(const Cluster& cluster, std::size_t moments, double step_s) {
    std::vector<std::int64_t> running(moments + 1);
    for (const PodRow& pod : cluster.pods) {
        ++running[moment_at(pod.start_s, step_s, moments)];
        --running[std::max(moment_at(pod.finish_s, step_s, moments),
                           moment_at(pod.start_s, step_s, moments))];
    }
    for (std::size_t m = 1; m < moments; ++m) {
        running[m] += running[m - 1];
    }
    running.resize(moments);
    return packed(running);
}

/// `resource`: its index; without it, the part is a number of pods, of which there are at `most`.
Is<"FilmPart"> part_data(std::optional<std::size_t> resource,
                         std::optional<std::int64_t> most,
                         const std::vector<std::int64_t>& shares) {
    return object<"FilmPart">(field<"resource">(resource),
                              field_if_known<"most">(most),
                              field<"count">(shares.size()),
                              field<"values">(packed(shares)));
}

Is<"FilmPart"> resource_part(const Cluster& cluster,
                             std::size_t r,
                             std::size_t moments,
                             double step_s) {
    Sums sums(moments, cluster.cells.size());
    for (const PodRow& pod : cluster.pods) {
        sums.add(pod, cluster.demands[pod.demand][r], step_s);
    }
    return part_data(
        r,
        std::nullopt,
        sums.shares(list_of(cluster.cells, [r](const Cell& cell) { return cell.capacity[r]; }),
                    list_of(cluster.cells, [r](const Cell& cell) { return cell.background[r]; })));
}

/// The number of pods, as a share of the most that any cell ever has.
Is<"FilmPart"> pods_part(const Cluster& cluster, std::size_t moments, double step_s) {
    Sums sums(moments, cluster.cells.size());
    std::vector<std::vector<std::int64_t>> changes(cluster.cells.size(),
                                                   std::vector<std::int64_t>(moments + 1));
    for (const PodRow& pod : cluster.pods) {
        sums.add(pod, 1, step_s);
        ++changes[pod.node][moment_at(pod.start_s, step_s, moments)];
        --changes[pod.node][moment_at(pod.finish_s, step_s, moments)];
    }
    std::int64_t most = 1;
    for (const std::vector<std::int64_t>& of_cell : changes) {
        std::int64_t running = 0;
        for (const std::int64_t change : of_cell) {
            running += change;
            most = std::max(most, running);
        }
    }
    const std::size_t cells = cluster.cells.size();
    return part_data(std::nullopt,
                     most,
                     sums.shares(std::vector<double>(cells, static_cast<double>(most)),
                                 std::vector<double>(cells)));
}

}  // namespace

Maybe<"Film"> film_data(Cluster& cluster, std::size_t values_max) {
    const double until_s = busy_until(cluster);
    if (!(until_s > 0)) {
        return nullptr;
    }
    const std::vector<std::size_t> resources = taken_resources(cluster);
    const std::size_t parts = std::max<std::size_t>(resources.size(), 1);
    aggregate(cluster, std::max<std::size_t>(values_max / (moments_min * parts), 1));
    const std::size_t moments =
        std::clamp(values_max / (cluster.cells.size() * parts), moments_min, moments_max);
    const double step_s = until_s / static_cast<double>(moments - 1);
    auto list = list_of(resources,
                        [&](std::size_t r) { return resource_part(cluster, r, moments, step_s); });
    if (resources.empty()) {
        list.push_back(pods_part(cluster, moments, step_s));
    }
    return object<"Film">(field<"last">(rounded(until_s)),
                          field<"all">(until_s == cluster.last_s),
                          field<"moments">(moments),
                          field<"levels">(levels),
                          field<"cells">(cluster.cells.size()),
                          field<"running">(running_data(cluster, moments, step_s)),
                          field<"parts">(std::move(list)));
}

}  // namespace berth::report
