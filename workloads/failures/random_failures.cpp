#include <fmt/format.h>
#include <boost/heap/d_ary_heap.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/topology.hpp"
#include "sim/clock/random.hpp"
#include "workloads/distribution.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::workloads {
namespace {

using core::NodeId;
using sim::FailureEvent;
using sim::SimTime;

/// A component that can fail, with its random numbers.
struct Component {
    sim::RandomSeries series;
    core::NodeId node;
    std::uint32_t cause = 0;
    std::int32_t device = -1;    ///< Number of the device in the server; -1: the node itself.
    std::uint32_t failures = 0;  ///< Failures so far.
    bool lemon = false;
};

/// Nodes of one level may share a name. The second of them is called `NAME#1` here, so that each
/// has random numbers of its own.
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

/// Every component of every cause, ordered by cause and then by place in the tree.
std::vector<Component> components_of(const FailureModel& model,
                                     const core::Topology& tree,
                                     std::uint64_t seed) {
    return ComponentList(model, tree, seed).take();
}

class RandomFailures final : public sim::FailureSource {
public:
    RandomFailures(const FailureModel& model,
                   std::shared_ptr<const core::Topology> tree,
                   std::uint64_t seed,
                   SimTime until)
        : model_(model),
          tree_(std::move(tree)),
          until_(until),
          components_(components_of(model_, *tree_, seed)),
          numbers_(components_.size() + model_.recorded.size()),
          out_until_(components_.size()) {
        for (std::uint32_t i = 0; i < components_.size(); ++i) {
            works_from(i, SimTime(0));
        }
        for (std::size_t i = 0; i < model_.recorded.size(); ++i) {
            const auto subject = static_cast<std::uint32_t>(components_.size() + i);
            push(model_.recorded[i].at, What::fails, subject);
        }
    }

    std::optional<FailureEvent> next() override {
        while (!pending_.empty()) {
            const Pending event = pending_.top();
            pending_.pop();
            if (event.what == What::fails) {
                return event.subject < components_.size() ? fail(event) : fail_as_recorded(event);
            }
            if (event.what == What::detected) {
                repair(event);
                return FailureEvent{event.at, numbers_[event.subject], std::nullopt, true};
            }
            if (event.what == What::repaired && stays_out(event)) {
                continue;
            }
            if (event.subject < components_.size()) {
                works_from(event.subject, event.at);
            }
            return FailureEvent{event.at, numbers_[event.subject], std::nullopt};
        }
        return std::nullopt;
    }

private:
    enum class What : std::uint8_t { fails, detected, repaired, returns };
    /// An event to come. `subject` is the index of a component, or of a recorded outage, which are
    /// numbered behind the components.
    struct Pending {
        SimTime at{};
        std::uint64_t order = 0;
        std::uint32_t subject = 0;
        What what = What::fails;
        friend bool operator>(const Pending& a, const Pending& b) {
            return std::pair(a.at, a.order) > std::pair(b.at, b.order);
        }
    };

    void push(SimTime at, What what, std::uint32_t subject) {
        if (at <= until_ && at != sim::never) {
            pending_.push({at, pushed_++, subject, what});
        }
    }

    /// Each failure uses two random numbers: for when it comes, and for how long its repair takes.
    static double draw_time_to(std::uint64_t failure,
                               const Distribution& between,
                               const Component& component) {
        return between.quantile(component.series.uniform(2 * failure));
    }
    static double draw_repair_of(std::uint64_t failure,
                                 const Distribution& repair,
                                 const Component& component) {
        return repair.quantile(component.series.uniform(2 * failure + 1));
    }

    void works_from(std::uint32_t number, SimTime now) {
        const Component& component = components_[number];
        const double factor = component.lemon ? model_.lemons->factor : 1;
        const Distribution& between = model_.causes[component.cause].between;
        const double seconds = draw_time_to(component.failures, between, component) / factor;
        push(now + drawn_duration(seconds, now), What::fails, number);
    }

    FailureEvent fail(const Pending& event) {
        Component& component = components_[event.subject];
        const FailureCause& cause = model_.causes[component.cause];
        ++component.failures;
        const std::string_view node = tree_->name(component.node);
        if (cause.device.empty()) {
            return begin(event, component.node, component.cause);
        }
        return begin(event,
                     component.node,
                     component.cause,
                     fmt::format("{}/{}-{}", node, cause.device, component.device),
                     cause.device);
    }

    FailureEvent begin(const Pending& event,
                       NodeId node,
                       std::uint32_t cause,
                       std::string component = "",
                       std::string level = "") {
        if (component.empty()) {
            component = tree_->name(node);
            level = tree_->level_name(tree_->level_of(node));
        }
        numbers_[event.subject] = begun_;
        const bool at_once = model_.detection == SimTime(0);
        if (at_once) {
            repair(event);
        } else {
            push(detected_at(event.at), What::detected, event.subject);
        }
        return {event.at,
                begun_++,
                sim::Outage{event.at, node, std::move(component), std::move(level), cause, {}, 0},
                at_once};
    }

    [[nodiscard]] SimTime detected_at(SimTime failed) const {
        return model_.detection < sim::never - failed ? failed + model_.detection : sim::never;
    }

    /// Called once a failure is known: a crew begins the repair or the component waits for a crew.
    /// A recorded outage ends when its record says so.
    void repair(const Pending& event) {
        if (event.subject >= components_.size()) {
            const auto& back = model_.recorded[event.subject - components_.size()].back;
            if (back) {
                push(std::max(*back, event.at), What::returns, event.subject);
            }
            return;
        }
        if (model_.crews == 0 || busy_ < model_.crews) {
            begin_repair(event.subject, event.at);
        } else {
            waiting_.push_back(event.subject);
        }
        out_until_[event.subject] = quarantined_until(components_[event.subject].node, event.at);
    }

    void begin_repair(std::uint32_t number, SimTime now) {
        const Component& component = components_[number];
        const Distribution& repair = model_.causes[component.cause].repair;
        const double seconds = draw_repair_of(component.failures - 1, repair, component);
        ++busy_;
        push(now + drawn_duration(seconds, now), What::repaired, number);
    }

    /// When the server's quarantine ends; SimTime(0) for a server that need not stay out.
    SimTime quarantined_until(NodeId node, SimTime now) {
        if (!model_.quarantine || !tree_->is_server(node)) {
            return {};
        }
        const Quarantine& rule = *model_.quarantine;
        std::deque<SimTime>& recent = recent_[node];
        recent.push_back(now);
        while (now - recent.front() > rule.within) {
            recent.pop_front();
        }
        if (recent.size() < rule.failures) {
            return {};
        }
        recent.clear();
        return rule.out < sim::never - now ? now + rule.out : sim::never;
    }

    /// Frees the crew that completed a repair and sends it to the next one. Returns whether the
    /// component stays out because its server is in quarantine.
    bool stays_out(const Pending& event) {
        if (event.subject >= components_.size()) {
            return false;
        }
        --busy_;
        if (!waiting_.empty()) {
            const std::uint32_t next = waiting_.front();
            waiting_.pop_front();
            begin_repair(next, event.at);
        }
        const SimTime until = out_until_[event.subject];
        if (until <= event.at) {
            return false;
        }
        push(until, What::returns, event.subject);
        return true;
    }

    FailureEvent fail_as_recorded(const Pending& event) {
        const RecordedOutage& outage = model_.recorded[event.subject - components_.size()];
        return begin(event, outage.node, outage.cause);
    }

    FailureModel model_;
    std::shared_ptr<const core::Topology> tree_;
    SimTime until_;
    std::vector<Component> components_;
    std::vector<std::uint64_t> numbers_;  ///< Number of each subject's last outage.
    std::vector<SimTime> out_until_;      ///< For each component, when its server's quarantine
                                          ///< ends.
    /// A flat heap, because most of it lies outside the processor's caches.
    boost::heap::d_ary_heap<Pending, boost::heap::arity<4>, boost::heap::compare<std::greater<>>>
        pending_;
    std::uint64_t pushed_ = 0;
    std::uint64_t begun_ = 0;
    std::uint32_t busy_ = 0;             ///< Crews at work.
    std::deque<std::uint32_t> waiting_;  ///< Components that wait for a crew.
    std::map<NodeId, std::deque<SimTime>> recent_;
};

}  // namespace

std::vector<std::string> FailureModel::cause_names() const {
    std::vector<std::string> names;
    for (const FailureCause& cause : causes) {
        names.push_back(cause.name);
    }
    names.insert(names.end(), recorded_causes.begin(), recorded_causes.end());
    return names;
}

std::unique_ptr<sim::FailureSource> make_failures(const FailureModel& model,
                                                  std::shared_ptr<const core::Topology> tree,
                                                  std::uint64_t seed,
                                                  SimTime until) {
    if (model.causes.empty() && model.recorded_causes.empty()) {
        return nullptr;
    }
    return std::make_unique<RandomFailures>(model, std::move(tree), seed, until);
}

}  // namespace berth::workloads
