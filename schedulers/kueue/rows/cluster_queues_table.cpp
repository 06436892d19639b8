#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/admissions_table.hpp"
#include "experiments/program/run/scheduler_files.hpp"
#include "experiments/program/run/table_row.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

/// What all rows of an object begin with.
struct Object {
    sim::SimTime at{};
    std::string_view kind;
    std::string name;
    std::string parent;
    std::optional<kueue::StopPolicy> stop;
    std::optional<double> weight;
};

/// Writes the rows of cluster_queues.csv.
class ClusterQueueRows {
public:
    explicit ClusterQueueRows(const sim::KueueSettings& settings) : settings_(settings) {}

    void add(sim::SimTime at,
             const std::vector<kueue::Cohort>& cohorts,
             const std::vector<kueue::ClusterQueue>& queues,
             const sim::KueueLocalQueues& local_queues) {
        const bool fair = settings_.cache.configuration.fair_sharing();
        for (const kueue::Cohort& cohort : cohorts) {
            add(with_weight(
                    {at, "Cohort", cohort.name, cohort.parent, {}, {}}, fair, cohort.weight),
                cohort.quotas);
        }
        for (const kueue::ClusterQueue& queue : queues) {
            add(with_weight({at, "ClusterQueue", queue.name, queue.cohort, queue.stop, {}},
                            fair,
                            queue.weight),
                queue.quotas);
        }
        const bool by_usage = settings_.admission_fair_sharing.has_value();
        for (const auto& [name, local] : local_queues) {
            add(with_weight({at,
                             "LocalQueue",
                             fmt::format("{}/{}", name.first, name.second),
                             local.cluster_queue,
                             local.stop,
                             {}},
                            by_usage,
                            local.weight),
                {});
        }
    }

    [[nodiscard]] std::string text() && { return std::move(text_); }

private:
    static Object with_weight(Object object, bool counts, double weight) {
        if (counts) {
            object.weight = weight;
        }
        return object;
    }

    [[nodiscard]] TableRow begin(const Object& object) {
        constexpr std::array<std::string_view, 3> stops{"None", "Hold", "HoldAndDrain"};
        TableRow row(text_);
        row.seconds(object.at)
            .plain(object.kind)
            .text(object.name)
            .text(object.parent)
            .plain(object.stop ? stops[static_cast<std::size_t>(*object.stop)] : "")
            .number(object.weight);
        return row;
    }

    void add(const Object& object, const kueue::Quotas& quotas) {
        if (quotas.empty()) {
            begin(object).empty(6).end();
        }
        const kueue::Names& names = settings_.cache.names;
        for (const auto& [what, quota] : quotas) {
            const std::string& resource = names[what.resource];
            const auto limit = [&](const std::optional<core::Amount>& amount) {
                return amount ? held_amount_text(resource, *amount) : "";
            };
            const auto topology = settings_.topologies.find(what.flavor);
            begin(object)
                .text(names[what.flavor])
                .text(topology == settings_.topologies.end() ? "" : topology->second.name)
                .text(resource)
                .plain(held_amount_text(resource, quota.nominal))
                .plain(limit(quota.borrowing_limit))
                .plain(limit(quota.lending_limit))
                .end();
        }
    }

    const sim::KueueSettings& settings_;
    std::string text_ = report::header_of(report::Table::cluster_queues, {report::Part::always});
};

/// The Cohort objects, and a Cohort without quota for each name that is only referred to.
std::vector<kueue::Cohort> with_named_cohorts(const kueue::CacheSpec& spec) {
    std::map<std::string, kueue::Cohort> all;
    const auto name = [&](const std::string& cohort) {
        if (!cohort.empty()) {
            all.try_emplace(cohort).first->second.name = cohort;
        }
    };
    for (const kueue::Cohort& cohort : spec.cohorts) {
        all[cohort.name] = cohort;
    }
    for (const kueue::Cohort& cohort : spec.cohorts) {
        name(cohort.parent);
    }
    for (const kueue::ClusterQueue& queue : spec.queues) {
        name(queue.cohort);
    }
    std::vector<kueue::Cohort> cohorts;
    for (auto& [key, cohort] : all) {
        cohorts.push_back(std::move(cohort));
    }
    return cohorts;
}

/// Kueue's cohorts and queues with their quotas, cohorts before queues and ClusterQueues before
/// LocalQueues; then those that change, change by change.
std::string cluster_queues_csv(const sim::Settings& of_run) {
    const sim::KueueSettings& settings = *sim::KueueSettings::of(of_run);
    ClusterQueueRows rows(settings);
    rows.add({}, with_named_cohorts(settings.cache), settings.cache.queues, settings.local_queues);
    for (const sim::KueueChange& change : settings.changes) {
        rows.add(change.at, change.cohorts, change.queues, change.local_queues);
    }
    return std::move(rows).text();
}

}  // namespace

std::vector<SchedulerFile> kueue_files(const sim::Settings& settings);
std::vector<SchedulerFile> kueue_files(const sim::Settings& settings) {
    if (sim::KueueSettings::of(settings) == nullptr) {
        return {};
    }
    return {{report::file_name(report::Table::cluster_queues), &cluster_queues_csv}};
}

}  // namespace berth::experiments
