#include "topologies/writers.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"

namespace berth::topologies {
namespace {

using core::Level;
using core::NodeId;
using core::Topology;

constexpr std::size_t runs_max = 8;   // among the children of one node
constexpr std::size_t types_max = 4;  // on one line
constexpr std::size_t lines_max = 100;

/// How many of each there are: pairs of a machine type or contents and their number, ascending.
using Census = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

Census counted(std::vector<std::uint32_t>& things) {
    std::ranges::sort(things);
    Census census;
    for (const std::uint32_t thing : things) {
        if (census.empty() || census.back().first != thing) {
            census.emplace_back(thing, 0);
        }
        ++census.back().second;
    }
    return census;
}

/// Numbers the contents of nodes: equal contents get equal numbers. The contents of a server are
/// its machine type.
class Insides {
public:
    explicit Insides(const Topology& topology) : of_node_(topology.node_count()) {
        for (std::uint32_t type = 0; type < topology.machine_types().size(); ++type) {
            machines_.push_back({{type, 1}});
        }
        std::vector<std::uint32_t> children;
        for (std::uint32_t index = topology.node_count(); index-- > 0;) {
            const NodeId node{index};
            if (topology.is_server(node)) {
                of_node_[index] = topology.machine_type_index(topology.server_of(node));
                continue;
            }
            children.clear();
            for (const NodeId child : topology.children(node)) {
                children.push_back(of_node_[child.index]);
            }
            of_node_[index] = intern(counted(children));
        }
    }

    [[nodiscard]] std::uint32_t of(NodeId node) const { return of_node_[node.index]; }
    /// The servers below the node, counted by machine type.
    [[nodiscard]] const Census& machines(NodeId node) const { return machines_[of(node)]; }

private:
    std::uint32_t intern(const Census& children) {
        const auto [at, fresh] =
            numbers_.try_emplace(children, static_cast<std::uint32_t>(machines_.size()));
        if (fresh) {
            std::map<std::uint32_t, std::uint64_t> sum;
            for (const auto& [inside, count] : children) {
                for (const auto& [type, machines] : machines_[inside]) {
                    sum[type] += count * machines;
                }
            }
            machines_.emplace_back(sum.begin(), sum.end());
        }
        return at->second;
    }

    std::vector<std::uint32_t> of_node_;
    std::map<Census, std::uint32_t> numbers_;
    std::vector<Census> machines_;
};

std::string counted_noun(std::uint64_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string inside_text(const core::MachineType& type, const core::ResourceSchema& resources) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < resources.size(); ++i) {
        const auto amount = type.capacity[static_cast<Eigen::Index>(i)];
        if (amount != 0) {
            parts.push_back(fmt::format("{}: {}", resources.name(i), resources.format(i, amount)));
        }
    }
    for (const core::DeviceGroup& group : type.devices) {
        const std::string model = group.model.empty() ? "" : " x " + group.model;
        parts.push_back(fmt::format("{}: {}{}", group.kind, group.count, model));
    }
    return fmt::format("{{{}}}", core::join(parts, ", "));
}

class Summary {
public:
    Summary(std::ostream& out, const Topology& topology)
        : out_(out), topology_(topology), insides_(topology) {}

    void write() { write_run(topology_.root(), topology_.root(), 0); }

private:
    [[nodiscard]] std::uint64_t servers(NodeId node) const {
        std::uint64_t sum = 0;
        for (const auto& [type, count] : insides_.machines(node)) {
            sum += count;
        }
        return sum;
    }

    /// Writes the equal neighbours from `first` to `last`.
    void write_run(NodeId first, NodeId last, std::uint32_t depth) {
        const std::uint64_t length = last.index - first.index + 1;
        const std::string names =
            length == 1 ? std::string(topology_.name(first))
                        : fmt::format("{} .. {}", topology_.name(first), topology_.name(last));
        const std::string times = length == 1 ? "" : fmt::format("{} x ", length);
        const std::size_t children = topology_.children(first).size();
        const bool over_servers = depth + 1 == topology_.server_level().index;
        std::string inside = machines_text(first, length);
        if (!over_servers) {
            // A mix of types is told once at the root, and again at the level above the servers.
            const bool mix = depth == 0 && insides_.machines(first).size() > 1;
            inside = counted_noun(length * servers(first),
                                  topology_.level_name(topology_.server_level())) +
                     (mix ? ": " + inside : "");
        }
        line(depth,
             fmt::format("{}: {}{}, {}",
                         names,
                         times,
                         counted_noun(children, topology_.level_name(Level{depth + 1})),
                         inside));
        if (!over_servers && lines_ < lines_max) {
            write_children(first, depth + 1);
        }
    }

    void write_children(NodeId node, std::uint32_t depth) {
        const std::uint32_t end = topology_.child_end(node);
        std::size_t runs = 0;
        for (std::uint32_t first = topology_.child_begin(node); first < end; ++runs) {
            if (runs == runs_max || lines_ >= lines_max) {
                write_rest(first, end, depth);
                return;
            }
            std::uint32_t last = first;
            while (last + 1 < end && insides_.of(NodeId{last + 1}) == insides_.of(NodeId{first})) {
                ++last;
            }
            write_run(NodeId{first}, NodeId{last}, depth);
            first = last + 1;
        }
    }

    void write_rest(std::uint32_t begin, std::uint32_t end, std::uint32_t depth) {
        std::uint64_t sum = 0;
        for (const NodeId node : core::node_range(begin, end)) {
            sum += servers(node);
        }
        line(depth,
             fmt::format("... and {} more, {}",
                         counted_noun(end - begin, topology_.level_name(Level{depth})),
                         counted_noun(sum, topology_.level_name(topology_.server_level()))));
    }

    [[nodiscard]] std::string machines_text(NodeId node, std::uint64_t times) const {
        const Census& machines = insides_.machines(node);
        std::vector<std::string> parts;
        for (const auto& [index, count] : machines) {
            if (parts.size() == types_max) {
                parts.push_back(
                    fmt::format("and {}", counted_noun(machines.size() - types_max, "more type")));
                break;
            }
            const core::MachineType& type = topology_.machine_types()[index];
            parts.push_back(fmt::format(
                "{} x {} {}", times * count, type.name, inside_text(type, topology_.resources())));
        }
        return core::join(parts, ", ");
    }

    void line(std::uint32_t depth, const std::string& text) {
        out_ << fmt::format("{:{}}{}\n", "", 2 * depth, text);
        ++lines_;
    }

    std::ostream& out_;
    const Topology& topology_;
    Insides insides_;
    std::size_t lines_ = 0;
};

}  // namespace

void write_text(std::ostream& out, const Topology& topology) {
    Summary(out, topology).write();
}

}  // namespace berth::topologies
