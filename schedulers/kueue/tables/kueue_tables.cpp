#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/program/results/scheduler_results.hpp"
#include "experiments/program/results/setup_text.hpp"
#include "schedulers/kueue/tables/queues.hpp"

namespace berth::report {
namespace {

std::shared_ptr<const SchedulerResults> read_results(const std::filesystem::path& directory,
                                                     std::int64_t replications,
                                                     std::optional<double> end_s) {
    auto queues = read_queues(directory, end_s);
    if (!queues) {
        return nullptr;
    }
    // A replication in which no job came to a queue has no row in admissions.csv.
    auto& counted = queues->tally.replications;
    counted = std::max(counted, static_cast<std::size_t>(replications));
    return std::make_shared<const Queues>(std::move(*queues));
}

/// Flavors with a topology place pods by it. Objects may be in lists.
SchedulerWords in_words(const YAML::Node& settings) {
    std::vector<std::string> with_topology;
    std::size_t flavors = 0;
    const YAML::Node objects = child(settings, "objects");
    std::vector<YAML::Node> all(objects.begin(), objects.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const YAML::Node object = all[i];
        if (const YAML::Node items = child(object, "items"); items && items.IsSequence()) {
            for (const YAML::Node& item : items) {
                all.push_back(item);
            }
        }
        if (text_of(child(object, "kind")) == "ResourceFlavor") {
            ++flavors;
            if (!text_of(child(child(object, "spec"), "topologyName")).empty()) {
                with_topology.push_back(text_of(child(child(object, "metadata"), "name")));
            }
        }
    }
    SchedulerWords words;
    words.admits = "admitted by Kueue";
    if (!with_topology.empty()) {
        words.places = fmt::format("placed by the topology of {} {}",
                                   with_topology.size() == 1 ? "flavor" : "flavors",
                                   joined(with_topology));
        words.places_all = with_topology.size() == flavors;
    }
    return words;
}

}  // namespace

extern constinit const SchedulerTables kueue_tables;
constinit const SchedulerTables kueue_tables{
    .key = "kueue", .read = &read_results, .in_words = &in_words};

}  // namespace berth::report
