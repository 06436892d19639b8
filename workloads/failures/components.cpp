#include "workloads/failures/components.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace berth::workloads {
namespace {

using core::NodeId;

/// Nodes of one level may have one name: the second is then `NAME#1` here, so that each has random
/// numbers of its own.
class ComponentList {
public:
    ComponentList(const FailureModel& model, const core::Topology& tree, std::uint64_t seed)
        : model_(model), tree_(tree), seed_(seed) {
        for (std::uint32_t cause = 0; cause < model.causes.size(); ++cause) {
            add(cause);
        }
    }
    [[nodiscard]] std::vector<Component> take() { return std::move(components_); }

private:
    void add(std::uint32_t number) {
        const FailureCause& cause = model_.causes[number];
        std::unordered_map<std::string_view, std::uint32_t> same_names;
        for (const NodeId node : tree_.level_nodes(cause.level)) {
            const std::uint32_t before = same_names[tree_.name(node)]++;
            if (!concerns(cause, node)) {
                continue;
            }
            std::string name(tree_.name(node));
            name += before > 0 ? fmt::format("#{}", before) : "";
            const bool lemon = model_.lemons && tree_.is_server(node) &&
                               sim::RandomSeries(seed_, "failures/lemons/" + name).uniform(0) <
                                   model_.lemons->share;
            for (std::int32_t device = 0; device < count_of(cause, node); ++device) {
                const bool whole = cause.device.empty();
                const std::string which = whole ? "" : fmt::format("/{}", device);
                const std::string purpose =
                    fmt::format("failures/{}/{}{}", cause.name, name, which);
                components_.push_back({sim::RandomSeries(seed_, purpose),
                                       node,
                                       number,
                                       whole ? -1 : device,
                                       0,
                                       lemon});
            }
        }
    }

    [[nodiscard]] bool concerns(const FailureCause& cause, NodeId node) const {
        return cause.machine_type.empty() ||
               (tree_.is_server(node) &&
                tree_.machine_type(tree_.server_of(node)).name == cause.machine_type);
    }

    [[nodiscard]] std::int32_t count_of(const FailureCause& cause, NodeId node) const {
        if (cause.device.empty()) {
            return 1;
        }
        std::int64_t count = 0;
        for (const core::DeviceGroup& group : tree_.machine_type(tree_.server_of(node)).devices) {
            count += group.kind == cause.device ? group.count : 0;
        }
        return static_cast<std::int32_t>(count);
    }

    const FailureModel& model_;
    const core::Topology& tree_;
    std::uint64_t seed_;
    std::vector<Component> components_;
};

}  // namespace

std::vector<Component> components_of(const FailureModel& model,
                                     const core::Topology& tree,
                                     std::uint64_t seed) {
    return ComponentList(model, tree, seed).take();
}

}  // namespace berth::workloads
