#include "sim/cluster/inside/gpus/fragmentation_metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"

namespace berth::sim {
namespace {

constexpr auto usable = static_cast<std::size_t>(core::FragmentClass::q3_satisfied);

double total(const core::ByFragmentClass<double>& classes) {
    return std::accumulate(classes.begin(), classes.end(), 0.0);
}

double percent(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

}  // namespace

FragmentationMetrics::FragmentationMetrics(const core::Ledger& ledger,
                                           core::Fragmentation& fragmentation,
                                           Window window)
    : ledger_(ledger),
      tree_(ledger.topology()),
      fragmentation_(fragmentation),
      window_(window),
      gpu_(tree_.resources()
               .find(core::device_resource::nvidia_gpu)
               .value_or(ledger.resource_count())),
      cpu_(tree_.resources().find("cpu").value_or(ledger.resource_count())),
      changes_(&ledger.changes()),
      of_server_(tree_.server_count()) {
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        take_in(core::ServerId{server});
    }
    constexpr std::array<std::int64_t, 6> shares{50, 80, 90, 95, 100, 130};
    for (std::size_t i = 0; i < shares.size(); ++i) {
        at_arrived_[i].percent = shares[i];
    }
}

std::vector<std::string> FragmentationMetrics::sampled(bool typical_pods) {
    std::vector<std::string> names{"gpu_arrived_milli", "gpu_allocated_milli"};
    if (!typical_pods) {
        return names;
    }
    names.emplace_back("frag_gpu_milli");
    for (std::size_t part = 0; part < core::fragment_class_count; ++part) {
        names.emplace_back(to_string(static_cast<core::FragmentClass>(part)));
    }
    return names;
}

/// Shares are taken of a capacity without the servers that are absent at the beginning.
void FragmentationMetrics::begin(Scheduler& /*scheduler*/) {
    capacity_ = gpu_ < ledger_.resource_count() ? ledger_.capacity(tree_.root())[gpu_] : 0;
}

void FragmentationMetrics::submitted(const Job& job) {
    if (gpu_ < job.demand.size()) {
        arrived_ += Wide{job.demand[gpu_]} * job.size;
    }
}

void FragmentationMetrics::take_in(core::ServerId server) {
    Counted now{};
    if (ledger_.is_up(server)) {
        const auto available = ledger_.available(tree_.node_of(server));
        const core::Amount cpu = cpu_ < available.size() ? available[cpu_] : 0;
        now = fragmentation_.counted_by_class(
            ledger_.gpus().set(server), fragmentation_.cpu_rank(cpu), ledger_.gpus().model(server));
    }
    Counted& before = of_server_[server.index];
    for (std::size_t part = 0; part < now.size(); ++part) {
        sums_[part] += now[part] - before[part];
        BERTH_ASSERT(sums_[part] >= 0, "no less than nothing is free of any class");
    }
    before = now;
}

/// The free GPUs of each class of fragments, in milli-GPU.
core::ByFragmentClass<double> FragmentationMetrics::classes() const {
    core::ByFragmentClass<double> out{};
    for (std::size_t part = 0; part < out.size() && fragmentation_.count() > 0; ++part) {
        out[part] = static_cast<double>(sums_[part]) / static_cast<double>(fragmentation_.count());
    }
    return out;
}

void FragmentationMetrics::settle(SimTime now) {
    BERTH_ASSERT(now >= settled_, "time never goes back");
    if (now != settled_) {
        const core::ByFragmentClass<double> parts = classes();
        const double idle = total(parts);
        const double passed = seconds(window_.part_of(settled_, now));
        frag_seconds_ += (idle - parts[usable]) * passed;
        idle_seconds_ += idle * passed;
        settled_ = now;
    }
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
            take_in(core::ServerId{server});
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        take_in(*server);
    }
}

void FragmentationMetrics::sample(std::vector<double>& out) {
    const core::ByFragmentClass<double> parts = classes();
    out.push_back(static_cast<double>(arrived_));
    out.push_back(gpu_ < ledger_.resource_count()
                      ? static_cast<double>(ledger_.allocated(tree_.root(), gpu_))
                      : 0);
    if (fragmentation_.count() > 0) {
        out.push_back(total(parts) - parts[usable]);
        out.insert(out.end(), parts.begin(), parts.end());
    }
    note_arrived_share();
}

/// Source: the FGD paper's scripts (analysis.py): a bin holds the events whose arrived share rounds
/// to it.
void FragmentationMetrics::note_arrived_share() {
    const auto whole = static_cast<double>(capacity_);
    const double arrived_pct = percent(static_cast<double>(arrived_), whole);
    const auto bin = static_cast<std::int64_t>(std::nearbyint(arrived_pct));
    for (AtArrived& at : at_arrived_) {
        if (at.percent != bin) {
            continue;
        }
        const core::ByFragmentClass<double> parts = classes();
        const double idle = total(parts);
        const double frag = idle - parts[usable];
        at.samples += 1;
        at.allocated_pct +=
            percent(static_cast<double>(ledger_.allocated(tree_.root(), gpu_)), whole);
        at.frag_pct += percent(frag, whole);
        at.frag_ratio_pct += percent(frag, idle);
    }
}

void FragmentationMetrics::add_to(std::vector<Metric>& out) const {
    const auto whole = static_cast<double>(capacity_);
    const core::ByFragmentClass<double> parts = classes();
    const double idle = total(parts);
    const double allocated = gpu_ < ledger_.resource_count()
                                 ? static_cast<double>(ledger_.allocated(tree_.root(), gpu_))
                                 : 0;
    out.push_back({"gpu_arrived_pct", percent(static_cast<double>(arrived_), whole)});
    out.push_back({"gpu_allocated_pct", percent(allocated, whole)});
    if (fragmentation_.count() == 0) {
        return;
    }
    out.push_back({"frag_pct_of_total", percent(idle - parts[usable], whole)});
    out.push_back({"frag_ratio_pct_of_idle", percent(idle - parts[usable], idle)});
    out.push_back({"frag_ratio_pct_of_idle_mean", percent(frag_seconds_, idle_seconds_)});
    for (std::size_t part = 0; part < parts.size(); ++part) {
        out.push_back(
            {fmt::format("{}_pct_of_total", to_string(static_cast<core::FragmentClass>(part))),
             percent(parts[part], whole)});
    }
    for (const AtArrived& at : at_arrived_) {
        const auto mean = [&](double sum) {
            return at.samples > 0 ? std::optional(sum / at.samples) : std::nullopt;
        };
        out.push_back(
            {fmt::format("gpu_allocated_pct_at_{}_arrived", at.percent), mean(at.allocated_pct)});
        out.push_back({fmt::format("frag_pct_at_{}_arrived", at.percent), mean(at.frag_pct)});
        out.push_back(
            {fmt::format("frag_ratio_pct_at_{}_arrived", at.percent), mean(at.frag_ratio_pct)});
    }
}

}  // namespace berth::sim
