#include "schedulers/slurm/documents/read_partitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace berth::experiments {
namespace {

namespace slurm = core::slurm;

/// The places of nodes by their names.
using NodePlaces = std::map<std::string_view, std::size_t>;

slurm::NodeSet nodes_named(const SlurmSetting& setting, const NodePlaces& nodes) {
    slurm::NodeSet set(nodes.size());
    if (same_word(setting.value, "ALL")) {
        return set.set();
    }
    for (const std::string& name : setting.names()) {
        const auto node = nodes.find(name);
        if (node == nodes.end()) {
            setting.fail(fmt::format("nodes of the cluster: it has no {}", name));
        }
        set.set(node->second);
    }
    return set;
}

void read_state(const SlurmSetting& setting, slurm::Partition& partition) {
    const bool is_inactive = same_word(setting.value, "INACTIVE");
    partition.is_down = is_inactive || same_word(setting.value, "DOWN");
    partition.is_closed = is_inactive || same_word(setting.value, "DRAIN");
    if (!partition.is_down && !partition.is_closed && !same_word(setting.value, "UP")) {
        setting.fail("UP, DOWN, DRAIN or INACTIVE");
    }
}

void read_key(const SlurmSetting& setting,
              const NodePlaces& nodes,
              slurm::Partition& partition,
              std::vector<std::string>& not_followed) {
    if (setting.is("PartitionName")) {
        partition.name = setting.value;
    } else if (setting.is("Nodes")) {
        partition.nodes = nodes_named(setting, nodes);
    } else if (setting.is("Default")) {
        partition.is_default = setting.flag();
    } else if (setting.is("PriorityTier")) {
        partition.tier = setting.whole(0);
    } else if (setting.is("PriorityJobFactor")) {
        partition.priority_factor = setting.whole(0);
    } else if (setting.is("OverSubscribe")) {
        partition.exclusive = same_word(setting.value, "EXCLUSIVE");
        const std::string kind = setting.value.substr(0, setting.value.find(':'));
        if (!partition.exclusive && !same_word(kind, "NO") && !same_word(kind, "YES") &&
            !same_word(kind, "FORCE")) {
            setting.fail("EXCLUSIVE, NO, YES:N or FORCE:N");
        }
        if (same_word(kind, "FORCE")) {
            not_followed.push_back(
                fmt::format("{}: OverSubscribe: jobs would share cores", setting.place));
        }
    } else if (setting.is("PreemptMode")) {
        partition.preempt_mode = setting.preempt_mode();
    } else if (setting.is("MaxTime")) {
        const auto minutes = setting.minutes();
        partition.max_time = minutes ? *minutes * 60 : slurm::no_limit;
    } else if (setting.is("DefaultTime")) {
        if (const auto minutes = setting.minutes()) {
            partition.default_time = *minutes * 60;
        }
    } else if (setting.is("MaxNodes")) {
        partition.max_nodes =
            same_word(setting.value, "UNLIMITED") ? slurm::no_limit : setting.whole(0);
    } else if (setting.is("MinNodes")) {
        partition.min_nodes = setting.whole(0);
    } else if (setting.is("State")) {
        read_state(setting, partition);
    } else {
        not_followed.push_back(
            fmt::format("{}: {}: a key of a partition", setting.place, setting.key));
    }
}

}  // namespace

std::vector<slurm::Partition> read_partitions(const std::vector<ConfLine>& lines,
                                              const std::vector<slurm::Node>& nodes,
                                              std::vector<std::string>& not_followed) {
    NodePlaces places;
    for (const slurm::Node& node : nodes) {
        places.emplace(node.name, places.size());
    }
    std::vector<slurm::Partition> partitions;
    ConfLine defaults;
    for (const ConfLine& own : lines) {
        const auto name =
            std::ranges::find_if(own, [](const auto& each) { return each.is("PartitionName"); });
        if (name == own.end()) {
            continue;
        }
        if (same_word(name->value, "DEFAULT")) {
            defaults.insert(defaults.end(), own.begin(), own.end());
            continue;
        }
        slurm::Partition partition;
        partition.nodes = slurm::NodeSet(nodes.size());
        for (const ConfLine* line : {&std::as_const(defaults), &own}) {
            for (const SlurmSetting& setting : *line) {
                read_key(setting, places, partition, not_followed);
            }
        }
        if (std::ranges::count(partitions, partition.name, &slurm::Partition::name) > 0) {
            name->fail("a name that no partition before has");
        }
        if (partition.is_default) {  // the last one that says so is the default, as in Slurm
            std::ranges::for_each(partitions, [](auto& each) { each.is_default = false; });
        }
        partitions.push_back(std::move(partition));
    }
    return partitions;
}

}  // namespace berth::experiments
