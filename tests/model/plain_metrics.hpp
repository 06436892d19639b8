#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/model/plain_run.hpp"

namespace berth::tests {

/// The share of each class of shared providers that pods took, averaged over time.
inline void add_shared_use(const PlainRun& run, std::map<std::string, double>& out) {
    const PlainForest& forest = run.cluster().providers.forest();
    std::map<std::string, core::Amount> capacity;
    for (const PlainInventory& inventory : forest.inventories) {
        if (forest.providers[inventory.provider].shared) {
            capacity[inventory.resource_class] += inventory.capacity();
            out["shared_" + inventory.resource_class + "_utilization"] = 0;
        }
    }
    for (const PlainJobState& job : run.jobs) {
        for (const auto* stints : {&job.stints, &job.evicted_stints}) {
            for (const PlainStint& stint : *stints) {
                const double part = sim::seconds(stint.finish.value_or(run.end) - stint.start) /
                                    sim::seconds(run.end);
                for (const PlainShare& share : stint.grant) {
                    const PlainInventory& from = forest.inventories[share.device];
                    if (forest.providers[from.provider].shared) {
                        out["shared_" + from.resource_class + "_utilization"] +=
                            static_cast<double>(share.amount) * part /
                            static_cast<double>(capacity[from.resource_class]);
                    }
                }
            }
        }
    }
}

/// Metrics of a run that has ended, as docs/reference/metrics.md defines them; a metric without
/// data is absent. Utilization is only there if the servers stay the same and are idle at first.
[[nodiscard]] inline std::map<std::string, double> plain_metrics(const PlainRun& run,
                                                                 const PlainCase& of) {
    const auto in_seconds = [](sim::SimTime time) {
        return static_cast<double>(time.count()) / 1e9;
    };
    std::map<std::string, double> out{{"end_s", in_seconds(run.end)},
                                      {"pods_finished", 0},
                                      {"pods_running", 0},
                                      {"groups_submitted", 0},
                                      {"groups_started", 0},
                                      {"resizes_refused", 0}};
    double waits = 0;
    double waited = 0;  // number of pods that waited, even for no time
    std::vector<double> used(of.tree.types.front().size());  // integral over time, by resource
    const auto add_use = [&](const sim::Job& job, const PlainStint& stint) {
        const std::vector<core::Amount> beside = run.cluster().beside(stint.server, stint.grant);
        const double time = in_seconds(stint.finish.value_or(run.end) - stint.start);
        for (std::size_t r = 0; r < used.size(); ++r) {
            used[r] += static_cast<double>(job.demand[r] + beside[r]) * time;
        }
    };
    // A pod that already ran when it came never waited for its place.
    const auto ran_already = [](const PlainJobState& job) {
        const auto at_once = [&](const PlainStint& stint) { return stint.start == job.job.submit; };
        return job.job.servers && (std::ranges::any_of(job.stints, at_once) ||
                                   std::ranges::any_of(job.evicted_stints, at_once));
    };
    for (const PlainJobState& job : run.jobs) {
        const bool waits_count = !ran_already(job);
        for (const PlainStint& stint : job.stints) {
            const auto past = job.pasts.find(stint.number);
            const PlainPast before =
                past == job.pasts.end() ? PlainPast{job.job.submit} : past->second;
            const double wait = in_seconds(stint.start - before.submit - before.ran);
            if (waits_count) {
                waits += wait;
                ++waited;
                out["wait_s_max"] = std::max(out["wait_s_max"], wait);
            }
            if (stint.finish) {
                out["makespan_s"] = std::max(out["makespan_s"], in_seconds(*stint.finish));
            }
            ++out[stint.finish ? "pods_finished" : "pods_running"];
            add_use(job.job, stint);
        }
        for (const PlainStint& stint : job.evicted_stints) {
            add_use(job.job, stint);
        }
        out["groups_submitted"] += job.job.group ? 1 : 0;
        out["groups_started"] += job.job.group && job.start ? 1 : 0;
        out["resizes_refused"] += job.resizes_refused;
    }
    if (run.cluster().has_providers && run.end > sim::SimTime(0)) {
        add_shared_use(run, out);
    }
    if (waited > 0) {
        out["wait_s_mean"] = waits / waited;
    }
    for (std::size_t r = 0; r < used.size(); ++r) {
        double all = 0;
        bool as_it_was = of.settings.node_changes.empty();
        for (std::size_t server = 0; server < of.tree.servers(); ++server) {
            all += static_cast<double>(of.tree.types[of.tree.type_of[server]][r]);
            as_it_was = as_it_was && of.outside[server][r] == 0;
        }
        if (as_it_was && all > 0 && run.end > sim::SimTime(0)) {
            out[std::string(resource_names[r]) + "_utilization"] =
                used[r] / (all * in_seconds(run.end));
        }
    }
    return out;
}

}  // namespace berth::tests
