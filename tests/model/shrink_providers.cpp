#include "tests/model/shrink_providers.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/allocation_candidates/candidate_query.hpp"
#include "tests/model/plain_gpus.hpp"
#include "tests/model/random_providers.hpp"
#include "tests/model/random_queries.hpp"

namespace berth::tests {
namespace {

/// Recomputes what pods ask for from what is shared. A pod whose query names something that no
/// longer exists asks for nothing.
void settle(PlainCase& of) {
    for (sim::Job& job : of.jobs) {
        if (job.query != nullptr && !knows_names(of, job.query->query)) {
            job.query.reset();
        }
        settle_demand(of, job);
    }
}

/// The query without its parameter at `at`; null if that is not a valid query.
std::shared_ptr<const sim::PodQuery> without(const std::string& text, std::size_t at) {
    const std::size_t end = text.find('&', at);
    std::string rest = text.substr(0, at);
    rest += end == std::string::npos ? "" : text.substr(end + 1);
    if (rest.ends_with('&')) {
        rest.pop_back();
    }
    auto parsed = core::parse_candidate_query(rest);
    auto* query = std::get_if<core::CandidateQuery>(&parsed);
    return query == nullptr
               ? nullptr
               : std::make_shared<const sim::PodQuery>(sim::PodQuery{rest, std::move(*query)});
}

void add_query_changes(std::vector<Change>& changes, const PlainCase& of, std::size_t job) {
    if (of.jobs[job].query == nullptr) {
        return;
    }
    const std::string& text = of.jobs[job].query->text;
    changes.emplace_back([job](PlainCase& one) {
        one.jobs[job].query.reset();
        settle(one);
    });
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at > 0 && text[at - 1] != '&') {
            continue;
        }
        if (const auto rest = without(text, at)) {
            changes.emplace_back([job, rest](PlainCase& one) {
                one.jobs[job].query = rest;
                settle(one);
            });
        }
    }
}

void add_machine_changes(std::vector<Change>& changes, std::size_t type) {
    const auto no_devices = [](core::DeviceGroup& group) {
        core::DeviceGroup none;
        none.kind = group.kind;
        none.virtual_functions = group.virtual_functions;
        group = none;
    };
    changes.emplace_back([type, no_devices](PlainCase& one) {
        no_devices(one.tree.gpus[type]);
        one.tree.types[type][gpu_resource] = 0;
        settle(one);
    });
    changes.emplace_back([type, no_devices](PlainCase& one) {
        no_devices(one.tree.nics[type]);
        settle(one);
    });
    changes.emplace_back([type](PlainCase& one) { one.tree.numa_nodes[type] = 0; });
    changes.emplace_back([type](PlainCase& one) {
        for (core::DeviceGroup* group : {&one.tree.gpus[type], &one.tree.nics[type]}) {
            group->pcie.clear();
        }
        settle(one);
    });
    changes.emplace_back([type](PlainCase& one) {
        for (core::DeviceGroup* group : {&one.tree.gpus[type], &one.tree.nics[type]}) {
            group->nvlink.clear();
            group->model.clear();
        }
    });
    changes.emplace_back([type](PlainCase& one) { one.tree.traits[type].clear(); });
}

}  // namespace

void add_provider_changes(std::vector<Change>& changes, const PlainCase& of) {
    for (std::size_t i = of.tree.shared.size(); i-- > 0;) {
        changes.emplace_back([i](PlainCase& one) {
            one.tree.shared.erase(one.tree.shared.begin() + static_cast<std::ptrdiff_t>(i));
            settle(one);
        });
        changes.emplace_back([i](PlainCase& one) {
            one.tree.shared[i].traits.clear();
            settle(one);
        });
        changes.emplace_back([i](PlainCase& one) { one.tree.shared[i].level.index = 0; });
        for (const auto& [resource_class, inventory] : of.tree.shared[i].inventories) {
            changes.emplace_back([i, resource_class](PlainCase& one) {
                core::ProviderInventory& only = one.tree.shared[i].inventories[resource_class];
                only = {.total = only.total};
            });
        }
    }
    for (std::size_t type = 0; type < of.tree.numa_nodes.size(); ++type) {
        add_machine_changes(changes, type);
    }
    changes.emplace_back([](PlainCase& one) {
        one.settings.profile.inside.candidates->choice = sim::CandidateChoice::first;
    });
    for (std::size_t job = 0; job < of.jobs.size(); ++job) {
        add_query_changes(changes, of, job);
    }
}

}  // namespace berth::tests
