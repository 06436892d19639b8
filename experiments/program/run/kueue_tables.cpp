#include "experiments/program/run/kueue_tables.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/placement/level_constraints.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/table_row.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

/// What Kueue counts in thousandths is written in whole units, as in all tables.
std::string amount_text(std::string_view resource, core::Amount amount) {
    constexpr core::Amount thousandths = 1000;
    std::string out;
    if (resource != "cpu") {
        append_integer(out, amount);
    } else if (amount % thousandths == 0) {
        append_integer(out, amount / thousandths);
    } else {
        append_number(out, static_cast<double>(amount) / static_cast<double>(thousandths));
    }
    return out;
}

/// Why a stretch of time ended. A job that ended without quota was dropped.
std::string_view end_word(const sim::QuotaHold& hold) {
    constexpr std::array<std::string_view, 7> words{
        "", "ended", "reduced", "preempted", "not-ready", "stopped", "node-failed"};
    return hold.end == sim::QuotaEnd::ended && !hold.admitted
               ? "dropped"
               : words[static_cast<std::size_t>(hold.end)];
}

std::string amounts_text(const sim::QuotaHold& hold) {
    std::vector<std::string> parts;
    for (const sim::HeldAmount& one : hold.amounts) {
        parts.push_back(fmt::format(
            "{}:{}={}", one.flavor, one.resource, amount_text(one.resource, one.amount)));
    }
    return core::join(parts, " ");
}

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
                return amount ? amount_text(resource, *amount) : "";
            };
            const auto topology = settings_.topologies.find(what.flavor);
            begin(object)
                .text(names[what.flavor])
                .text(topology == settings_.topologies.end() ? "" : topology->second.name)
                .text(resource)
                .plain(amount_text(resource, quota.nominal))
                .plain(limit(quota.borrowing_limit))
                .plain(limit(quota.lending_limit))
                .end();
        }
    }

    const sim::KueueSettings& settings_;
    std::string text_ = report::header_of(report::Table::cluster_queues, {report::Part::always});
};

/// The objects, and a cohort without quota for each that is only named.
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

}  // namespace

void write_admissions_row(std::string& out, std::uint32_t replication, const sim::QuotaHold& hold) {
    TableRow row(out);
    row.integer(replication)
        .text(hold.job)
        .text(hold.cluster_queue)
        .text(hold.local_queue)
        .seconds(hold.queued)
        .seconds(hold.admitted)
        .seconds(hold.from)
        .seconds(hold.told)
        .seconds(hold.until)
        .plain(end_word(hold));
    if (hold.admitted) {
        row.integer(hold.members);
    } else {
        row.empty();
    }
    row.text(amounts_text(hold)).text(hold.preemptor).text(hold.preemptor_queue).text(hold.reason);
    row.end();
}

std::string asked_for(const sim::Job& job, const core::Topology& tree) {
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        const core::Level level{i};
        if (!job.constraints->stated(level)) {
            continue;
        }
        const core::LevelConstraint& one = job.constraints->at(level);
        const bool packs = one.affinity == core::Affinity::pack;
        if (packs && i == 0) {
            parts.emplace_back("unconstrained");  // all of the cluster is one place
        } else {
            parts.push_back(fmt::format("{}{} {}",
                                        packs ? "" : "spread ",
                                        one.hard ? "required" : "preferred",
                                        tree.level_name(level)));
        }
    }
    return core::join(parts, "; ");
}

std::string cluster_queues_csv(const sim::KueueSettings& settings) {
    ClusterQueueRows rows(settings);
    rows.add({}, with_named_cohorts(settings.cache), settings.cache.queues, settings.local_queues);
    for (const sim::KueueChange& change : settings.changes) {
        rows.add(change.at, change.cohorts, change.queues, change.local_queues);
    }
    return std::move(rows).text();
}

}  // namespace berth::experiments
