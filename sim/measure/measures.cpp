#include "sim/measure/measures.hpp"

#include <array>

#include "core/support/assert.hpp"
#include "sim/measure/metered.hpp"

namespace berth::sim {

// Each meter has two functions: make_NAME_meter returns nullptr if there is nothing for it to
// measure, and sampled_by_NAME adds the names of what it samples, if it samples anything.
#define BERTH_METRIC(name, group, unit, better, meaning)
#define BERTH_METER(name) std::unique_ptr<Meter> make_##name##_meter(const Metered&);
#define BERTH_SAMPLING_METER(name) \
    BERTH_METER(name)              \
    void sampled_by_##name(const core::Topology&, const Profile&, std::vector<std::string>&);
#include "sim/measure/meters.def"
#undef BERTH_METER
#undef BERTH_SAMPLING_METER

std::vector<std::string> sampled_metrics(const core::Topology& tree, const Profile& profile) {
    std::vector<std::string> names;
#define BERTH_METER(name)
#define BERTH_SAMPLING_METER(name) sampled_by_##name(tree, profile, names);
#include "sim/measure/meters.def"
#undef BERTH_METER
#undef BERTH_SAMPLING_METER
    return names;
}

Measures::Measures(Cluster& cluster, const Settings& settings)
    : settings_(settings), tree_(cluster.topology()), times_(cluster.topology(), settings.window) {
    static constexpr std::array makers{
#define BERTH_METER(name) &make_##name##_meter,
#define BERTH_SAMPLING_METER(name) BERTH_METER(name)
#include "sim/measure/meters.def"
#undef BERTH_METER
#undef BERTH_SAMPLING_METER
    };
#undef BERTH_METRIC
    for (const auto make : makers) {
        if (auto meter = make({cluster, settings, times_})) {
            meters_.push_back(std::move(meter));
        }
    }
}

void Measures::begin(Scheduler& scheduler) const {
    for (const auto& meter : meters_) {
        meter->begin(scheduler);
    }
}

void Measures::submitted(const Job& job) {
    times_.submitted(job);
    for (const auto& meter : meters_) {
        meter->submitted(job);
    }
}

void Measures::arrived(SimTime now, std::uint64_t ended, bool more) const {
    for (const auto& meter : meters_) {
        meter->arrived(now, ended, more);
    }
}

void Measures::waits(JobId id, const JobState& state) const {
    for (const auto& meter : meters_) {
        meter->waits(id, state);
    }
}

void Measures::leaves_queue(const JobState& state) const {
    for (const auto& meter : meters_) {
        meter->leaves_queue(state);
    }
}

void Measures::members_run(core::Members more) const {
    for (const auto& meter : meters_) {
        meter->members_run(more);
    }
}

void Measures::nodes_out(core::Level level, std::int64_t more) const {
    for (const auto& meter : meters_) {
        meter->nodes_out(level, more);
    }
}

void Measures::interrupted(const Job& job, std::optional<std::uint32_t> cause) const {
    for (const auto& meter : meters_) {
        meter->interrupted(job, cause);
    }
}

void Measures::stint_over(const Job& job, const Stint& stint, const Stretch& stretch) const {
    for (const auto& meter : meters_) {
        meter->stint_over(job, stint, stretch);
    }
}

void Measures::granted(const Job& job, const Grant& grant) const {
    for (const auto& meter : meters_) {
        meter->granted(job, grant);
    }
}

void Measures::without_place(const Job& job, std::uint32_t refusing_servers) const {
    for (const auto& meter : meters_) {
        meter->without_place(job, refusing_servers);
    }
}

void Measures::recorded(const JobRecord& record, SimTime now) {
    times_.recorded(record, now);
    for (const auto& meter : meters_) {
        meter->recorded(record, now);
    }
}

void Measures::settle(SimTime now) const {
    for (const auto& meter : meters_) {
        meter->settle(now);
    }
}

std::optional<core::Violation> Measures::find_violation() const {
    for (const auto& meter : meters_) {
        if (auto violation = meter->find_violation()) {
            return violation;
        }
    }
    return std::nullopt;
}

std::span<const double> Measures::sample() {
    sample_.clear();
    for (const auto& meter : meters_) {
        meter->sample(sample_);
    }
    BERTH_AUDIT(sample_.size() == sampled_metrics(tree_, settings_.profile).size(),
                "a sample has a value for each of its names");
    return sample_;
}

void Measures::add_to(RunResult& result, SimTime now) const {
    for (const auto& meter : meters_) {
        meter->finish(now);
        meter->add_to(result.metrics);
        meter->add_tables(result);
    }
    result.percentiles_are_estimates = times_.keeps_samples_only();
}

}  // namespace berth::sim
