// Compares indexes over servers that share their GPUs with indexes that are built anew.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/gpu_sharing/gpu_domains.hpp"
#include "core/gpu_sharing/gpu_score_index.hpp"
#include "core/gpu_sharing/tree_score_index.hpp"

namespace berth::core {

std::optional<Violation> GpuScoreIndex::find_violation() const {
    const GpuRequest request{pod_.milli, pod_.count, {}};
    GpuScoreIndex fresh(ledger_, demand_, request, pod_, policy_, order_, also_);
    fresh.accepted_ = accepted_;  // the remembered request has lost its models
    fresh.rebuild();
    const auto text = [](const GpuScoreIndex& index, Verdict verdict) {
        return verdict >= feasible
                   ? fmt::format("a verdict of {}", verdict)
                   : fmt::format("lacks {:#x}", index.lacks_[static_cast<std::size_t>(verdict)]);
    };
    for (std::size_t at = 0; at < tree_.server_count(); ++at) {
        const std::string found = text(*this, levels_[0][at]);
        const std::string expected = text(fresh, fresh.levels_[0][at]);
        if (found != expected) {
            return Violation{"a GPU score index has the verdicts of one that is built anew",
                             tree_.path(tree_.node_of(server_at(at))),
                             found,
                             expected};
        }
    }
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        for (std::size_t at = 0; at < levels_[level - 1].size() / block; ++at) {
            if (levels_[level][at] != best_of_block(level - 1, at)) {
                return Violation{"a GPU score index knows the best verdict of each block",
                                 fmt::format("level {}, block {}", level, at),
                                 fmt::format("{}", levels_[level][at]),
                                 fmt::format("{}", best_of_block(level - 1, at))};
            }
        }
    }
    if (feasible_count_ != fresh.feasible_count_ || refused_count() != fresh.refused_count()) {
        const auto counts = [](const GpuScoreIndex& index) {
            return fmt::format(
                "{} fit, {} are refused", index.feasible_count_, index.refused_count());
        };
        return Violation{"a GPU score index counts the servers that fit",
                         "the cluster",
                         counts(*this),
                         counts(fresh)};
    }
    return std::nullopt;
}

std::optional<Violation> TreeScoreIndex::find_violation() const {
    const GpuRequest request{pod_.milli, pod_.count, {}};
    TreeScoreIndex fresh(ledger_, domains_, demand_, request, pod_, policy_, also_);
    fresh.accepted_ = accepted_;  // the remembered request has lost its models
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        fresh.rescore(ServerId{server});
    }
    for (std::uint32_t node = tree_.node_count() - tree_.server_count(); node-- > 1;) {
        fresh.settle(NodeId{node});
    }
    for (std::uint32_t node = 1; node < tree_.node_count(); ++node) {
        if (costs_[node] != fresh.costs_[node]) {
            return Violation{
                "a tree score index has the costs of one that is built anew",
                tree_.path(NodeId{node}),
                fmt::format("{} and {}", costs_[node][0], costs_[node][1]),
                fmt::format("{} and {}", fresh.costs_[node][0], fresh.costs_[node][1])};
        }
    }
    if (feasible_count() != fresh.feasible_count() || refused_count() != fresh.refused_count()) {
        const auto counts = [](const TreeScoreIndex& index) {
            return fmt::format(
                "{} fit, {} are refused", index.feasible_count(), index.refused_count());
        };
        return Violation{"a tree score index counts the servers that fit",
                         "the cluster",
                         counts(*this),
                         counts(fresh)};
    }
    return std::nullopt;
}

std::optional<Violation> GpuDomains::find_violation() const {
    const GpuDomains fresh(ledger_);
    for (std::uint32_t node = 0; node < tree_.node_count(); ++node) {
        if (whole_free_[node] != fresh.whole_free_[node]) {
            return Violation{"a domain counts the GPUs that are wholly free on its servers",
                             tree_.path(NodeId{node}),
                             fmt::format("{}", whole_free_[node]),
                             fmt::format("{}", fresh.whole_free_[node])};
        }
    }
    return std::nullopt;
}

}  // namespace berth::core
