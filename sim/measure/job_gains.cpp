#include "sim/measure/job_gains.hpp"

namespace berth::sim {

void JobGains::stint_over(const Job& job, const Stint& stint, const Stretch& stretch) {
    if (!gpu_ || job.demand[*gpu_] == 0) {
        return;
    }
    const Wide gpus = Wide{stint.members} * job.demand[*gpu_];
    const SimTime time = window_.part_of(stint.start, stint.finish.value_or(stretch.until));
    const TimeWithoutGain lost = time_without_gain(stretch, stint, window_);
    HeldTime& held = held_[&job];
    held.all += gpus * time.count();
    held.useful += gpus * (time - lost.redone - lost.writing - lost.restarting - lost.hung).count();
}

void JobGains::job(const JobRecord& record, const Labels& labels) {
    HeldTime held;
    if (const auto known = held_.find(&record.job); known != held_.end()) {
        held = known->second;
        held_.erase(known);
    }
    std::array<Kind*, job_trait_count> kinds{};
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        kinds[trait] = &kinds_[trait][labels[trait]];
        kinds[trait]->held.useful += held.useful;
        kinds[trait]->held.all += held.all;
    }
    if (!record.first_start || !window_.counts(record.job.submit)) {
        return;
    }
    if (record.finish) {
        count(kinds, record.arrival, record.kept, *record.finish - *record.first_start);
    } else {
        unfinished_.push_back({record.arrival, record.kept, *record.first_start, kinds});
    }
}

void JobGains::finish(SimTime now) {
    for (const Unfinished& job : unfinished_) {
        count(job.kinds, SumByArrival::behind(job.arrival), job.kept, now - job.first_start);
    }
}

void JobGains::count(const std::array<Kind*, job_trait_count>& kinds,
                     std::uint64_t place,
                     SimTime kept,
                     SimTime time) {
    if (time > SimTime(0)) {
        for (Kind* kind : kinds) {
            kind->shares.add(place, seconds(kept) / seconds(time));
            ++kind->jobs;
        }
    }
}

void JobGains::add_to(std::vector<Metric>& out, JobTrait trait, const std::string& label) const {
    const auto& known = kinds_[static_cast<std::size_t>(trait)];
    const auto at = known.find(label);
    const Kind kind = at != known.end() ? at->second : Kind{};
    out.push_back({"ettr_mean", ratio(kind.shares.total(), static_cast<double>(kind.jobs))});
    if (gpu_) {
        out.push_back(
            {"goodput",
             ratio(static_cast<double>(kind.held.useful), static_cast<double>(kind.held.all))});
    }
}

}  // namespace berth::sim
