#include "experiments/program/config/profile/read_queue_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/profile/plugin_points.hpp"

namespace berth::experiments {

using core::Diagnostics;
using core::MapReader;
using core::Value;

namespace {

/// Reads the options of a queue policy.
class ReadQueueOptions final : public sim::QueueOptions {
public:
    explicit ReadQueueOptions(MapReader& map) : map_(map) {}
    sim::SimTime duration(const std::string& key, sim::SimTime otherwise) override {
        const auto duration = read_duration(map_, key);
        if (duration && duration->count() == 0) {
            expected(*map_.take(key), "a duration above 0", map_.diagnostics());
            return otherwise;
        }
        return duration.value_or(otherwise);
    }
    std::size_t count(const std::string& key, std::size_t otherwise) override {
        const auto default_count = static_cast<std::int64_t>(otherwise);
        return static_cast<std::size_t>(map_.integer(key, default_count, 1, 1'000'000));
    }
    sim::QueuePolicy order(const std::string& key, std::string_view otherwise) override {
        const Value* value = map_.take(key);
        if (value == nullptr) {
            return sim::queue_policy(otherwise);
        }
        const sim::QueuePolicy order = read_queue_policy(*value, key, map_.diagnostics());
        if (order.overtaking != sim::Overtaking::free) {
            expected(*value,
                     "a policy that only orders jobs, which fcfs and the backfills do not",
                     map_.diagnostics());
        }
        return order;
    }

private:
    MapReader& map_;
};

}  // namespace

sim::QueuePolicy read_queue_policy(const Value& value,
                                   const std::string& key,
                                   Diagnostics& diagnostics) {
    const auto name = plugin_name(value, diagnostics);
    if (!name) {
        return {};
    }
    const auto entry =
        std::ranges::find(sim::queue_policies(), *name, &sim::QueuePolicyEntry::name);
    if (entry == sim::queue_policies().end()) {
        std::vector<std::string> names;
        for (const sim::QueuePolicyEntry& known : sim::queue_policies()) {
            names.emplace_back(known.name);
        }
        diagnostics.error(value.is_map() ? value.find("name")->span : value.span,
                          fmt::format("unknown {} '{}': expected {}{}{}",
                                      key,
                                      *name,
                                      core::alternatives(names),
                                      core::suggestion(*name, names),
                                      other_point(*name, "queueSort")));
        return {};
    }
    const Value nothing{Value::Kind::map, {}, {}, {}, {}};
    MapReader map(value.is_map() ? value : nothing, *name, diagnostics);
    (void)map.take("name");
    ReadQueueOptions options(map);
    const sim::QueuePolicy policy = entry->make(options);
    map.report_unknown_keys();
    return policy;
}

}  // namespace berth::experiments
