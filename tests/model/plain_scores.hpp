#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/plain_cluster.hpp"

namespace berth::tests {

/// Scores of servers, as docs/reference/policies.md defines them: shares are integer parts of 2^20.
class PlainScores {
public:
    using Weights = std::vector<std::pair<std::string, std::int64_t>>;

    /// The best of the servers with room for one more pod; the first of equal ones.
    static std::optional<std::uint32_t> best(const PlainCluster& cluster,
                                             const sim::Job& job,
                                             const Weights& weights) {
        std::optional<std::uint32_t> best;
        std::int64_t best_score = 0;
        for (std::uint32_t server = 0; server < cluster.free.size(); ++server) {
            if (!cluster.has_room(job, server)) {
                continue;
            }
            std::int64_t score = 0;
            for (const auto& [name, weight] : weights) {
                score += weight * PlainScores{cluster, job, server}.score(name);
            }
            if (!best || score > best_score) {
                best = server;
                best_score = score;
            }
        }
        return best;
    }

private:
    static constexpr std::int64_t whole = 1 << 20;

    PlainScores(const PlainCluster& cluster, const sim::Job& job, std::uint32_t server)
        : cluster_(cluster), job_(job), server_(server) {}

    [[nodiscard]] std::int64_t part(core::Amount amount, std::size_t r) const {
        const core::Amount capacity = cluster_.capacity(server_, r);
        return capacity > 0 && amount > 0 ? amount * whole / capacity : 0;
    }
    [[nodiscard]] std::int64_t left(std::size_t r) const {
        return part(cluster_.free_of(server_, r) - job_.demand[r], r);
    }
    [[nodiscard]] std::int64_t score(const std::string& name) const {
        std::int64_t left_sum = 0;
        std::vector<std::int64_t> used;  // shares in use after the pod, if it asks for them
        std::int64_t points_left = 0;
        std::int64_t points_used = 0;
        for (std::size_t r = 0; r < job_.demand.size(); ++r) {
            left_sum += left(r);
            if (job_.demand[r] > 0) {
                used.push_back(whole - left(r));
                points_left += left(r) * 100 / whole;
                const core::Amount taken =
                    cluster_.capacity(server_, r) - cluster_.free_of(server_, r) + job_.demand[r];
                points_used += part(taken, r) * 100 / whole;
            }
        }
        const auto asked = static_cast<std::int64_t>(used.size());
        if (name == "best-fit") {
            return 100 * whole - left_sum;
        }
        if (name == "worst-fit") {
            return left_sum;
        }
        if (name == "least-allocated") {
            return asked > 0 ? points_left / asked : 0;
        }
        if (name == "most-allocated") {
            return asked > 0 ? points_used / asked : 0;
        }
        return name == "balanced-allocation" ? balance(used) : 0;
    }
    static std::int64_t balance(const std::vector<std::int64_t>& used) {
        if (used.size() < 2) {
            return 100;
        }
        const auto count = static_cast<std::int64_t>(used.size());
        std::int64_t mean = 0;
        for (const std::int64_t each : used) {
            mean += each;
        }
        mean /= count;
        std::int64_t squares = 0;
        for (const std::int64_t each : used) {
            squares += (each - mean) * (each - mean);
        }
        auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(squares / count)));
        while (root * root > squares / count) {
            --root;
        }
        while ((root + 1) * (root + 1) <= squares / count) {
            ++root;
        }
        return (whole + 2 - root) * 100 / whole;
    }

    const PlainCluster& cluster_;
    const sim::Job& job_;
    std::uint32_t server_;
};

}  // namespace berth::tests
