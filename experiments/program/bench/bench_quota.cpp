/// quota/...: the scenario of the published program's measurements. Leaves have a min cpu of 1000 x
/// (1 + i % 7) and so on, flat or in three levels, with a total of twice the leaves' min and one
/// pending pod in each leaf. A unit of work adds a pod to one leaf, or removes one at its next
/// turn, and reads the runtime of that leaf (`one`) or of all leaves (`all`).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/elastic_quota/quota_trees.hpp"
#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::QuotaId;

constexpr Amount gib = Amount{1} << 30;
constexpr std::size_t resource_count = 2;  // cpu, memory

core::ResourceList amounts(Amount cpu, Amount memory) {
    core::ResourceList list(resource_count);
    list.set(0, cpu);
    list.set(1, memory);
    return list;
}

/// A tree of quotas in which each leaf has a pending pod.
class Company {
public:
    Company(std::uint32_t quotas, bool flat) : trees_(resource_count) {
        const auto width = flat ? 0U : static_cast<std::uint32_t>(std::lround(std::cbrt(quotas)));
        const std::uint32_t leaves = quotas - width - width * width;
        std::vector<core::QuotaSpec> orgs(width);
        std::vector<core::QuotaSpec> teams(std::size_t{width} * width);
        for (std::uint32_t i = 0; i < leaves; ++i) {
            const core::QuotaSpec leaf = leaf_spec(i, flat ? 0 : width * width);
            leaf_specs_.push_back(leaf);
            if (!flat) {
                const std::uint32_t team = i % (width * width);
                add(teams[team], leaf);
                add(orgs[team / width], leaf);
            }
        }
        for (std::uint32_t i = 0; i < width; ++i) {
            add_parent(orgs[i], fmt::format("org-{:03}", i), "");
        }
        for (std::uint32_t i = 0; i < width * width; ++i) {
            add_parent(teams[i], fmt::format("team-{:05}", i), fmt::format("org-{:03}", i / width));
        }
        Amount cpu = 0;
        Amount memory = 0;
        for (const core::QuotaSpec& leaf : leaf_specs_) {
            leaves_.push_back(trees_.add(leaf));
            cpu += 2 * leaf.min[0];
            memory += 2 * leaf.min[1];
        }
        trees_.set_cluster_total(amounts(cpu, memory));
        for (std::uint32_t i = 0; i < leaves; ++i) {
            const core::ResourceList& max = leaf_specs_[i].max;
            const Amount times = 1 + i % 4;
            trees_.add_request(leaves_[i], std::array{max[0] * times / 2, max[1] * times / 2}, 1);
            if (max[0] * times / 2 < max[0]) {
                hungry_.push_back(leaves_[i]);  // its limited request changes with its request
            }
        }
        BERTH_ASSERT(runtime_of_all() == cpu, "all of the total is wanted, and nothing is lost");
    }

    /// Changes the request of the next leaf; after all leaves, it begins again with the first.
    QuotaId change() {
        const QuotaId leaf = hungry_[step_ % hungry_.size()];
        const bool add = step_ / hungry_.size() % 2 == 0;
        ++step_;
        trees_.add_request(leaf, std::array{Amount{100}, gib / 16}, add ? 1 : -1);
        return leaf;
    }
    Amount runtime(QuotaId leaf) {
        return trees_.runtime(leaf, 0).value() + trees_.runtime(leaf, 1).value() / gib;
    }
    Amount read_all() {
        trees_.refresh();
        Amount sum = 0;
        for (const QuotaId leaf : leaves_) {
            sum += trees_.refreshed_runtime(leaf, 0).value() +
                   trees_.refreshed_runtime(leaf, 1).value() / gib;
        }
        return sum;
    }
    [[nodiscard]] std::uint64_t visits() const { return trees_.visits(); }

private:
    static core::QuotaSpec leaf_spec(std::uint32_t i, std::uint32_t teams) {
        core::QuotaSpec leaf;
        leaf.name = fmt::format("leaf-{:05}", i);
        leaf.parent = teams == 0 ? "" : fmt::format("team-{:05}", i % teams);
        leaf.min = amounts(1000 * (1 + i % 7), gib * (1 + i % 5));
        leaf.max = amounts(std::max<Amount>(4000 * (1 + i % 11), leaf.min[0]),
                           std::max<Amount>(8 * gib * (1 + i % 9), leaf.min[1]));
        return leaf;
    }
    static void add(core::QuotaSpec& parent, const core::QuotaSpec& child) {
        if (parent.min.resource_count() == 0) {
            parent.min = parent.max = amounts(0, 0);
        }
        for (std::size_t r = 0; r < resource_count; ++r) {
            parent.min.set(r, parent.min[r] + child.min[r]);
            parent.max.set(r, parent.max[r] + child.max[r]);
        }
    }
    void add_parent(core::QuotaSpec& spec, std::string name, std::string parent) {
        if (spec.min.resource_count() == 0) {
            spec.min = spec.max = amounts(0, 0);
        }
        spec.name = std::move(name);
        spec.parent = std::move(parent);
        spec.is_parent = true;
        trees_.add(spec);
    }
    Amount runtime_of_all() {
        Amount cpu = 0;
        for (const QuotaId leaf : leaves_) {
            cpu += trees_.runtime(leaf, 0).value();
        }
        return cpu;
    }

    core::QuotaTrees trees_;
    std::vector<core::QuotaSpec> leaf_specs_;
    std::vector<QuotaId> leaves_;
    std::vector<QuotaId> hungry_;
    std::uint64_t step_ = 0;
};

void bench_quota(const std::string& name, bool flat, bool all, const Bench& bench) {
    for (const std::uint32_t quotas : bench.sizes({10, 100, 1'000, 10'000})) {
        Company company(quotas, flat);
        Measurement out{name,
                        quotas,
                        all ? "one leaf's request changes, every leaf's runtime is read"
                            : "one leaf's request changes, its runtime is read",
                        0,
                        0,
                        0,
                        {}};
        const std::uint64_t visits = company.visits();
        std::uint64_t steps = 0;
        Amount sum = 0;
        bench.measure(out, 0.5, [&] {
            const QuotaId leaf = company.change();
            sum += all ? company.read_all() : company.runtime(leaf);
            ++steps;
        });
        BERTH_ASSERT(sum > 0, "what is read is used");
        out.counters["quotas_visited"] = (company.visits() - visits) / steps;
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> quota_benchmarks() {
    return {{"quota/one/flat",
             "the same, all leaves below the root",
             [](const Bench& bench) { bench_quota("quota/one/flat", true, false, bench); }},
            {"quota/one/3level",
             "one leaf's request changes, its runtime is read, three levels",
             [](const Bench& bench) { bench_quota("quota/one/3level", false, false, bench); }},
            {"quota/all/flat",
             "the same, all leaves below the root",
             [](const Bench& bench) { bench_quota("quota/all/flat", true, true, bench); }},
            {"quota/all/3level",
             "one leaf's request changes, every leaf's runtime is read, three levels",
             [](const Bench& bench) { bench_quota("quota/all/3level", false, true, bench); }}};
}

}  // namespace berth::experiments
