#include "tests/model/as_experiment.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/placement/level_constraints.hpp"
#include "tests/model/as_quota_experiment.hpp"
#include "tests/model/gpu_text.hpp"
#include "tests/model/provider_text.hpp"

namespace berth::tests {
namespace {

std::string duration(sim::SimTime time) {
    return fmt::format("{}ns", time.count());
}

/// An amount as text: bytes for resources in bytes, thousandths for others.
std::string amount(std::size_t resource, core::Amount of) {
    return fmt::format("{}{}", of, is_in_bytes(resource) ? "" : "m");
}

/// Amounts as text, such as `{cpu: 4m, memory: 2}`.
std::string amounts(const std::vector<core::Amount>& of) {
    std::string out;
    for (std::size_t r = 0; r < of.size(); ++r) {
        out += fmt::format("{}{}: {}", r == 0 ? "" : ", ", resource_names[r], amount(r, of[r]));
    }
    return "{" + out + "}";
}

std::string level_name(std::size_t level, std::size_t levels) {
    return level == 0 ? "root" : level + 1 == levels ? "server" : fmt::format("level-{}", level);
}

std::string topology(const PlainTree& tree) {
    const std::size_t levels = tree.parents.size() + 1;
    std::string out = "  topology:\n    document:\n      kind: Topology\n      spec:\n";
    out += "        levels: [root";
    for (std::size_t level = 1; level < levels; ++level) {
        out += ", " + level_name(level, levels);
    }
    out += "]\n        machineTypes:\n";
    for (std::size_t type = 0; type < tree.types.size(); ++type) {
        out += fmt::format("          m{}: {{capacity: {}{}{}}}\n",
                           type,
                           amounts(tree.types[type]),
                           machine_providers_text(tree, type),
                           devices_text(tree, type));
    }
    out += shared_providers_text(tree);
    out += "        nodes:\n          - {name: root}\n";
    for (std::size_t level = 1; level < levels; ++level) {
        const std::vector<std::uint32_t>& parents = tree.parents[level - 1];
        for (std::size_t node = 0; node < parents.size(); ++node) {
            const std::string above = level_name(level - 1, levels);
            out += fmt::format(
                "          - {{name: {}-{}, parent: {}{}}}\n",
                level_name(level, levels),
                node,
                level == 1 ? above : fmt::format("{}-{}", above, parents[node]),
                level + 1 == levels ? fmt::format(", type: m{}", tree.type_of[node]) : "");
        }
    }
    return out;
}

std::string background(const PlainCase& of) {
    std::string out = "    - background:\n        csv: |\n          server";
    for (std::size_t r = 0; r < of.outside.front().size(); ++r) {
        out += fmt::format(",{}", resource_names[r]);
    }
    for (std::size_t server = 0; server < of.outside.size(); ++server) {
        out += fmt::format("\n          server-{}", server);
        for (std::size_t r = 0; r < of.outside[server].size(); ++r) {
            out += "," + amount(r, of.outside[server][r]);
        }
    }
    return out + "\n";
}

std::string constraints(const sim::Job& job) {
    std::string out;
    for (std::uint32_t level = 0; level < job.constraints->level_count(); ++level) {
        if (!job.constraints->stated(core::Level{level})) {
            continue;
        }
        const core::LevelConstraint& own = job.constraints->at(core::Level{level});
        out += fmt::format("                - {{level: {}, affinity: {}, soft: {}",
                           level_name(level, job.constraints->level_count()),
                           own.affinity == core::Affinity::pack ? "pack" : "spread",
                           !own.hard);
        if (own.range) {
            out += fmt::format(", min: {}, max: {}", own.range->min, own.range->max);
        }
        if (own.partitions > 0) {
            out += fmt::format(", partitions: {}", own.partitions);
        }
        out += own.factor > 1 ? fmt::format(", factor: {}}}\n", own.factor) : "}\n";
    }
    return out.empty() ? "" : "              constraints:\n" + out;
}

/// The type of a pod: what it asks for. The GPUs of a pod with an allocator follow from its
/// requests, so that they are left out.
std::string type(const PlainCase& of, const sim::Job& job) {
    if (job.query != nullptr) {
        return fmt::format("{{candidates: \"{}\"}}", job.query->text);
    }
    std::vector<core::Amount> demand = job.demand.in_a_vector();
    if (of.settings.profile.inside.devices) {
        demand.pop_back();
    }
    std::string out = amounts(demand);
    out.pop_back();
    return out + (job.devices != nullptr ? ", " + job.devices->text : "") + "}";
}

/// The keys that pods and groups share. `classes`: whether the case has classes, the first of which
/// is the default.
std::string common(const sim::Job& job, bool classes) {
    std::string out =
        fmt::format("at: {}, priority: {}, user: {}", duration(job.submit), job.priority, job.user);
    if (job.duration) {
        out += ", lifetime: " + duration(*job.duration);
    }
    if (job.estimate) {
        out += ", estimate: " + duration(*job.estimate);
    }
    if (!job.quota.empty()) {
        out += fmt::format(", quota: {}, preemptible: {}", job.quota, job.preemptible);
    }
    if (classes) {
        out += ", class: " + (job.job_class.empty() ? "steady" : job.job_class.text());
    }
    if (!job.resizes.empty()) {
        out += ", resize: [";
        for (const sim::Resize& resize : job.resizes) {
            out += fmt::format("{{at: {}, size: {}}},", duration(resize.at), resize.size);
        }
        out.back() = ']';
    }
    return out;
}

std::string job(const sim::Job& job, std::size_t number, bool classes) {
    std::string out;
    if (job.per_server_max > 0) {
        out += fmt::format("    # {}: application {}, at most {} on a server\n",
                           job.name,
                           job.application,
                           job.per_server_max);
    }
    out += models_text(job);
    if (job.servers) {
        out += fmt::format(
            "    # {}: already runs on server-{}\n", job.name, job.servers->front().index);
    }
    if (!job.group) {
        return out + fmt::format("    - pods: [{{name: {}, type: t{}, {}}}]\n",
                                 job.name,
                                 number,
                                 common(job, classes));
    }
    out +=
        "    - groups:\n        - document:\n            kind: GroupPlacement\n            spec:\n";
    out += fmt::format("              group: {{name: {}, size: {}, minAvailable: {}, type: t{}}}\n",
                       job.name,
                       job.size,
                       job.min_available,
                       number);
    out += constraints(job);
    std::string rest = common(job, classes);
    for (std::size_t at = 0; (at = rest.find(", ", at)) != std::string::npos;) {
        const bool outside = rest.find('[') == std::string::npos || at < rest.find('[');
        rest.replace(at, 2, outside ? "\n          " : ", ");
        at += 2;
    }
    return out + "          " + rest + "\n";
}

std::string score(const PlainCase& of) {
    std::string out = "      score: [";
    for (const auto& [name, weight] : of.score) {
        out += fmt::format("{{name: {}, weight: {}}},", name, weight);
    }
    out.back() = ']';
    return out + "\n";
}

std::string scheduler(const PlainCase& of) {
    const bool fills = of.queue.ends_with("backfill");
    std::string queue = of.queue;
    if (fills) {
        queue = fmt::format("{{name: {}, order: {}{}}}",
                            of.queue,
                            of.order,
                            of.depth > 0 && of.queue != "easy-backfill"
                                ? fmt::format(", depth: {}", of.depth)
                                : "");
    } else if (of.queue == "fair-share") {
        queue = fmt::format("{{name: fair-share, halfLife: {}}}", duration(of.half_life));
    }
    const sim::Profile& profile = of.settings.profile;
    std::string out = "  scheduler:\n    profile:\n      queueSort: " + queue + "\n";
    const auto& gpus = profile.inside.gpus;
    out += gpus ? sharing_text(*gpus) : "";
    out += profile.inside.devices ? allocator_text(*profile.inside.devices) : "";
    out += profile.inside.candidates ? candidates_text(*profile.inside.candidates) : "";
    const bool inside =
        profile.inside.devices ? profile.inside.devices->weight > 0 : gpus && !gpus->policy.empty();
    out += inside ? "" : score(of);
    out += fmt::format("      placementGroup: {{solver: {}, numFit: {}}}\n",
                       profile.solver == sim::Solver::exact ? "exact" : "greedy",
                       profile.num_fit == core::NumFit::aggregate ? "aggregate" : "percolated");
    out += of.settings.quotas ? quotas_as_profile(*of.settings.quotas) : "";
    if (gpus) {
        out += fmt::format("    typicalPods: {{threshold: {}.{:02}}}\n",
                           of.typical_percent / 100,
                           of.typical_percent % 100);
    }
    if (of.settings.period > sim::SimTime(0)) {
        out += fmt::format("    period: {}\n", duration(of.settings.period));
    }
    out += of.settings.retry ? "" : "    retry: never\n";
    const sim::OnFailure& failed = of.settings.on_failure;
    const std::string_view rule = failed.replaces      ? "replace"
                                  : failed.shrinks     ? "shrink"
                                  : failed.keeps_place ? "requeue"
                                                       : "requeue-last";
    return out + fmt::format("    lostWork: {}\n    onFailure: {}\n",
                             static_cast<double>(of.lost_quarters) / 4,
                             rule);
}

std::string run_time(const PlainCase& of) {
    std::string out = "  runTime:\n    classes:\n";
    const std::size_t levels = of.tree.parents.size() + 1;
    for (const sim::SlowDown& slow_down : of.settings.run_time) {
        out += "      " + slow_down.job_class + ": {";
        for (std::size_t level = 0; level < levels; ++level) {
            out += fmt::format("{}{}: {}.{:03}",
                               level == 0 ? "" : ", ",
                               level_name(level, levels),
                               slow_down.by_level[level] / 1000,
                               slow_down.by_level[level] % 1000);
        }
        out += "}\n";
    }
    return out;
}

std::string failures(const PlainCase& of) {
    std::string out = "  failures:\n    events:\n";
    std::vector<core::ServerId> absent = of.settings.absent;
    for (const sim::NodeChange& change : of.settings.node_changes) {
        const bool added = std::erase(absent, change.server) > 0;
        out += fmt::format("      - {{at: {}, node: server-{}, event: {}}}\n",
                           duration(change.at),
                           change.server.index,
                           added       ? "add"
                           : change.up ? "repair"
                                       : "fail");
    }
    return out;
}

}  // namespace

std::string as_experiment(const PlainCase& of) {
    std::string out = "apiVersion: berth/v1\nkind: Experiment\nmetadata: {name: shrunk}\nspec:\n";
    out += topology(of.tree) + "  types:\n";
    for (std::size_t number = 0; number < of.jobs.size(); ++number) {
        out += fmt::format("    t{}: {}\n", number, type(of, of.jobs[number]));
    }
    out += "  workload:\n" + background(of);
    for (std::size_t number = 0; number < of.jobs.size(); ++number) {
        out += job(of.jobs[number], number, !of.settings.run_time.empty());
    }
    out += of.settings.quotas ? quotas_as_experiment(*of.settings.quotas) : "";
    out += scheduler(of);
    out += of.settings.run_time.empty() ? "" : run_time(of);
    out += of.settings.node_changes.empty() ? "" : failures(of);
    if (of.settings.until != sim::never) {
        out += fmt::format("  until: {}\n", duration(of.settings.until));
    }
    return out;
}

}  // namespace berth::tests
