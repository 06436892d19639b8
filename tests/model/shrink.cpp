#include "tests/model/shrink.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/model/as_experiment.hpp"
#include "tests/model/difference.hpp"
#include "tests/model/shrink_providers.hpp"
#include "tests/model/shrink_quotas.hpp"

namespace berth::tests {
namespace {

void forget(core::LevelConstraints& constraints, std::uint32_t gone) {
    core::LevelConstraints others(constraints.level_count());
    for (std::uint32_t level = 0; level < constraints.level_count(); ++level) {
        if (level != gone && constraints.stated(core::Level{level})) {
            others.set(core::Level{level}, constraints.at(core::Level{level}));
        }
    }
    constraints = others;
}

/// Adds all changes that leave out or simplify a part of one job.
void add_changes(std::vector<Change>& changes, const sim::Job& job, std::size_t at) {
    const auto add = [&](std::function<void(sim::Job&)> change) {
        changes.emplace_back(
            [at, change = std::move(change)](PlainCase& of) { change(of.jobs[at]); });
    };
    for (std::size_t i = 0; i < job.resizes.size(); ++i) {
        add([i](sim::Job& one) {
            one.resizes.erase(one.resizes.begin() + static_cast<std::ptrdiff_t>(i));
        });
    }
    add([](sim::Job& one) { one.estimate.reset(); });
    add([](sim::Job& one) { one.servers.reset(); });
    add([](sim::Job& one) { one.per_server_max = 0; });
    add([](sim::Job& one) { one.job_class = {}; });
    add([](sim::Job& one) { one.priority = 0; });
    add([](sim::Job& one) { one.min_available = one.size; });
    add([](sim::Job& one) { one.user = "ann"; });
    add([](sim::Job& one) { one.preemptible = true; });
    if (job.group) {
        add([](sim::Job& one) {
            one.size = std::max<core::Members>(one.size - 1, 1);
            one.min_available = std::min(one.min_available, one.size);
        });
        for (std::uint32_t level = 0; level < job.constraints->level_count(); ++level) {
            if (job.constraints->stated(core::Level{level})) {
                add([level](sim::Job& one) { forget(*one.constraints, level); });
            }
        }
    }
}

/// Adds the same kinds of changes for the sharing of GPUs.
void add_gpu_changes(std::vector<Change>& changes, const PlainCase& of) {
    changes.emplace_back([](PlainCase& one) {
        one.settings.profile.inside.gpus->policy.clear();
        one.settings.profile.inside.gpus->gangs.clear();
    });
    changes.emplace_back([](PlainCase& one) { one.typical_percent = 95; });
    changes.emplace_back(
        [](PlainCase& one) { one.settings.profile.inside.gpus->ties_at_random = false; });
    for (std::size_t type = 0; type < of.tree.gpus.size(); ++type) {
        changes.emplace_back([type](PlainCase& one) { one.tree.gpus[type].nvlink.clear(); });
        changes.emplace_back([type](PlainCase& one) { one.tree.gpus[type].numa.clear(); });
    }
    for (std::size_t i = 0; i < of.jobs.size(); ++i) {
        changes.emplace_back([i](PlainCase& one) { one.jobs[i].gpus.reset(); });
    }
}

/// Adds the same kinds of changes for devices that an allocator assigns.
void add_device_changes(std::vector<Change>& changes, const PlainCase& of) {
    changes.emplace_back([](PlainCase& one) {
        one.settings.profile.inside.devices->rules.exact = false;
        one.settings.profile.inside.devices->weight = 0;
    });
    for (std::size_t i = 0; i < of.jobs.size(); ++i) {
        changes.emplace_back([i](PlainCase& one) {
            one.jobs[i].devices.reset();
            one.jobs[i].demand.back() = 0;
        });
    }
}

std::vector<Change> changes_of(const PlainCase& of) {
    std::vector<Change> changes;
    const auto add = [&](Change change) { changes.push_back(std::move(change)); };
    for (std::size_t i = of.jobs.size(); i-- > 0;) {
        add([i](PlainCase& one) {
            one.jobs.erase(one.jobs.begin() + static_cast<std::ptrdiff_t>(i));
        });
    }
    for (std::size_t i = of.settings.node_changes.size(); i-- > 0;) {
        add([i](PlainCase& one) {
            std::vector<sim::NodeChange>& events = one.settings.node_changes;
            std::erase(one.settings.absent, events[i].server);
            events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
        });
    }
    for (std::size_t server = 0; server < of.outside.size(); ++server) {
        add([server](PlainCase& one) { std::ranges::fill(one.outside[server], 0); });
        add([server](PlainCase& one) { one.tree.type_of[server] = 0; });
    }
    add([](PlainCase& one) { one.queue = "fifo"; });
    if (of.settings.quotas) {
        if (of.queue != "drf") {  // drf needs quotas
            add([](PlainCase& one) { one.settings.quotas.reset(); });
        }
        add([](PlainCase& one) { one.settings.quotas->rules = {}; });
        add([](PlainCase& one) { one.settings.quotas->refresh = {}; });
        add_quota_changes(changes, *of.settings.quotas);
    }
    add([](PlainCase& one) { one.order = "fifo"; });
    add([](PlainCase& one) { one.depth = 0; });
    add([](PlainCase& one) { one.score = {{"first-fit", 1}}; });
    add([](PlainCase& one) { one.lost_quarters = 4; });
    add([](PlainCase& one) { one.settings.on_failure.replaces = false; });
    add([](PlainCase& one) { one.settings.on_failure = {}; });
    add([](PlainCase& one) { one.settings.period = {}; });
    add([](PlainCase& one) { one.settings.retry = true; });
    if (!of.settings.quotas || !of.settings.quotas->recycler) {
        add([](PlainCase& one) { one.settings.until = sim::never; });
    }
    add([](PlainCase& one) { one.settings.run_time.clear(); });
    if (!of.queue.ends_with("backfill")) {
        add([](PlainCase& one) { one.settings.profile.solver = sim::Solver::greedy; });
    }
    add([](PlainCase& one) { one.settings.profile.num_fit = core::NumFit::aggregate; });
    if (of.settings.profile.inside.gpus) {
        add_gpu_changes(changes, of);
    }
    if (of.settings.profile.inside.devices) {
        add_device_changes(changes, of);
    }
    if (of.settings.profile.inside.candidates) {
        add_provider_changes(changes, of);
    }
    for (std::size_t i = 0; i < of.jobs.size(); ++i) {
        add_changes(changes, of.jobs[i], i);
    }
    return changes;
}

}  // namespace

PlainCase shrunk(PlainCase of) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        const std::string before = as_experiment(of);
        for (const Change& change : changes_of(of)) {
            PlainCase one = of;
            change(one);
            if (as_experiment(one) != before && difference(one)) {
                of = std::move(one);
                smaller = true;
                break;
            }
        }
    }
    return of;
}

}  // namespace berth::tests
