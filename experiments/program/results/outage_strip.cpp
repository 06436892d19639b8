#include "experiments/program/results/outage_strip.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace berth::report {
namespace {

/// Consecutive servers or racks, in the order of the tree.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The servers below each node of a cluster, by level and name.
class Places {
public:
    explicit Places(const Cluster& cluster) : cluster_(cluster) {
        for (std::size_t level = 0; level < cluster.domains.size(); ++level) {
            for (std::size_t i = 0; i < cluster.domains[level].size(); ++i) {
                nodes_.try_emplace({cluster.levels[level], cluster.domains[level][i].name},
                                   below(level, i));
            }
        }
        for (std::size_t i = 0; i < cluster.cells.size(); ++i) {
            nodes_.try_emplace({cluster.leaf, cluster.cells[i].name}, Span{i, i + 1});
        }
    }

    /// The servers that an outage takes out; none if its node is not in the cluster.
    [[nodiscard]] Span servers(const OutageRow& outage) const {
        auto known = nodes_.find({outage.level, outage.component});
        if (known == nodes_.end()) {  // the component is a device
            const std::string server = outage.component.substr(0, outage.component.rfind('/'));
            known = nodes_.find({cluster_.leaf, server});
        }
        return known != nodes_.end() ? known->second : Span{};
    }
    [[nodiscard]] std::size_t row_of(std::size_t server) const {
        return cluster_.domains.empty() ? server : cluster_.cells[server].parent;
    }

private:
    [[nodiscard]] Span below(std::size_t level, std::size_t index) const {
        Span span{index, index + 1};
        const auto descend = [&](const auto& nodes, auto parent) {
            const auto first = std::ranges::lower_bound(nodes, span.begin, {}, parent);
            const auto last = std::ranges::lower_bound(nodes, span.end, {}, parent);
            span = {static_cast<std::size_t>(first - nodes.begin()),
                    static_cast<std::size_t>(last - nodes.begin())};
        };
        while (++level < cluster_.domains.size()) {
            descend(cluster_.domains[level], &Domain::parent);
        }
        descend(cluster_.cells, &Cell::parent);
        return span;
    }

    const Cluster& cluster_;
    std::map<std::pair<std::string, std::string>, Span> nodes_;
};

/// Adds to each slice the part of it that lies between two times.
void add_time(std::vector<double>& slices, double from_s, double to_s, double slice_s) {
    const auto last = static_cast<double>(slices.size() - 1);
    const auto begin = static_cast<std::size_t>(std::min(from_s / slice_s, last));
    for (std::size_t i = begin; i < slices.size(); ++i) {
        const double slice_begin = static_cast<double>(i) * slice_s;
        if (slice_begin >= to_s) {
            return;
        }
        slices[i] += std::min(to_s, slice_begin + slice_s) - std::max(from_s, slice_begin);
    }
}

/// Keeps the rows that were out for the longest, in their order.
void keep_most(OutageStrip& strip, std::size_t rows_max) {
    if (strip.rows.size() <= rows_max) {
        return;
    }
    std::vector<std::size_t> order(strip.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t row) {
        return std::accumulate(strip.out[row].begin(), strip.out[row].end(), 0.0);
    });
    strip.left_out = order.size() - rows_max;
    order.resize(rows_max);
    std::ranges::sort(order);
    OutageStrip kept = {strip.level, {}, strip.left_out, strip.end_s, {}, {}};
    for (const std::size_t row : order) {
        for (const OutageStrip::Hit& hit : strip.hits) {
            if (hit.row == row) {
                kept.hits.push_back({static_cast<std::uint32_t>(kept.rows.size()), hit.outage});
            }
        }
        kept.rows.push_back(std::move(strip.rows[row]));
        kept.out.push_back(std::move(strip.out[row]));
    }
    strip = std::move(kept);
}

}  // namespace

std::optional<OutageStrip> outage_strip(const Cluster& cluster,
                                        const Failures& failures,
                                        double end_s,
                                        const StripSize& size) {
    const double slice_s = end_s / static_cast<double>(size.slices);
    if (!(slice_s > 0) || cluster.cells.empty()) {
        return std::nullopt;
    }
    const Places places(cluster);
    OutageStrip strip;
    strip.end_s = end_s;
    strip.level = cluster.domains.empty() ? cluster.leaf : cluster.levels.back();
    if (cluster.domains.empty()) {
        std::ranges::transform(cluster.cells, std::back_inserter(strip.rows), &Cell::name);
    } else {
        std::ranges::transform(
            cluster.domains.back(), std::back_inserter(strip.rows), &Domain::name);
    }
    strip.out.assign(strip.rows.size(), std::vector<double>(size.slices));
    std::vector<double> servers(strip.rows.size());
    for (std::size_t server = 0; server < cluster.cells.size(); ++server) {
        servers[places.row_of(server)] += 1;
    }
    // overlapping outages of a server count once
    std::vector<double> out_until(cluster.cells.size());
    for (std::uint32_t i = 0; i < failures.outages.size(); ++i) {
        const OutageRow& outage = failures.outages[i];
        const Span below = places.servers(outage);
        const double to_s = std::min(outage.to_s, end_s);
        for (std::size_t server = below.begin; server < below.end; ++server) {
            const std::size_t row = places.row_of(server);
            const double from_s = std::max(outage.from_s, out_until[server]);
            if (from_s < to_s) {
                add_time(strip.out[row], from_s, to_s, slice_s);
                out_until[server] = to_s;
            }
            if (outage.jobs > 0 && (server == below.begin || places.row_of(server - 1) != row)) {
                strip.hits.push_back({static_cast<std::uint32_t>(row), i});
            }
        }
    }
    for (std::size_t row = 0; row < strip.rows.size(); ++row) {
        for (double& slice : strip.out[row]) {
            slice /= servers[row] * slice_s;
        }
    }
    keep_most(strip, size.rows_max);
    return strip;
}

}  // namespace berth::report
