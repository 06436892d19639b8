#include "experiments/program/config/workload/job_ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <variant>

#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {

using core::MapReader;
using core::Value;
using On = sim::Dependency::On;

void JobTies::read(const Value* after,
                   const std::string& name,
                   std::size_t source,
                   std::size_t first,
                   std::size_t jobs) {
    Entry entry{name, source, first, jobs, {}, {}};
    if (after != nullptr && after->is_list()) {
        for (const Value& item : after->items) {
            read_one(item, entry);
        }
    } else if (after != nullptr) {
        read_one(*after, entry);
    }
    any_ = any_ || after != nullptr;
    entries_.push_back(std::move(entry));
}

void JobTies::read_one(const Value& item, Entry& entry) {
    sim::Dependency one;
    if (item.is_map()) {
        MapReader map(item, "after", diagnostics_);
        constexpr std::array kinds{std::pair{"afterok", On::success},
                                   std::pair{"afterany", On::end},
                                   std::pair{"afterstart", On::start}};
        std::size_t named = 0;
        for (const auto& [key, on] : kinds) {
            if (map.take(key) != nullptr) {
                one.name = map.text(key, "");
                one.on = on;
                ++named;
            }
        }
        one.delay = read_duration(map, "delay").value_or(sim::SimTime(0));
        map.report_unknown_keys();
        if (named != 1) {
            expected(item, "one of afterok, afterany and afterstart", diagnostics_);
            return;
        }
    } else {
        one.name = item.text;
    }
    if (one.name.empty()) {
        expected(item, "the name of a job, or {afterany: NAME, delay: 5m}", diagnostics_);
        return;
    }
    entry.after.push_back(std::move(one));
    entry.spans.push_back(item.span);
}

void JobTies::tie(std::vector<WorkloadSource>& workload) {
    if (!any_) {
        return;
    }
    std::map<std::string, std::vector<std::size_t>> by_name;  // indices of entries by name
    std::vector<std::string> names;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        by_name[entries_[i].name].push_back(i);
        names.push_back(entries_[i].name);
    }
    const auto jobs_of = [&](const Entry& entry) {
        sim::Job* const first =
            std::get<JobList>(workload[entry.source].what).jobs.data() + entry.first;
        return std::span(first, entry.jobs);
    };
    const auto ties_of = [](sim::Job& job) -> sim::Ties& {
        return job.ties ? *job.ties : job.ties.emplace();
    };
    std::map<std::string, std::uint64_t> numbers;
    std::vector<std::vector<std::size_t>> before(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        Entry& entry = entries_[i];
        for (std::size_t n = 0; n < entry.after.size(); ++n) {
            sim::Dependency& one = entry.after[n];
            const auto found = by_name.find(one.name);
            if (found == by_name.end()) {
                diagnostics_.error(entry.spans[n],
                                   fmt::format("unknown job '{}': expected the name of an entry "
                                               "of pods or groups{}",
                                               one.name,
                                               core::suggestion(one.name, names)));
                return;
            }
            const auto [number, fresh] = numbers.emplace(one.name, numbers.size() + 1);
            one.number = number->second;
            one.jobs = 0;
            for (const std::size_t other : found->second) {
                before[i].push_back(other);
                one.jobs += static_cast<std::uint32_t>(entries_[other].jobs);
                for (sim::Job& job : jobs_of(entries_[other])) {
                    if (fresh) {
                        ties_of(job).numbers.push_back(one.number);
                    }
                }
            }
        }
        for (sim::Job& job : jobs_of(entry)) {
            if (!entry.after.empty()) {
                ties_of(job).after = entry.after;
            }
        }
    }
    refuse_circles(before);
}

/// An entry that comes after no other can be removed, and then the entries that came only after it.
/// An entry that is never removed is in a circle, or comes after one that is.
void JobTies::refuse_circles(const std::vector<std::vector<std::size_t>>& before) {
    std::vector<std::size_t> open(before.size());
    std::vector<std::vector<std::size_t>> behind(before.size());
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < before.size(); ++i) {
        open[i] = before[i].size();
        for (const std::size_t other : before[i]) {
            behind[other].push_back(i);
        }
        if (open[i] == 0) {
            free.push_back(i);
        }
    }
    while (!free.empty()) {
        const std::size_t i = free.back();
        free.pop_back();
        for (const std::size_t other : behind[i]) {
            if (--open[other] == 0) {
                free.push_back(other);
            }
        }
    }
    const auto stuck = std::ranges::find_if(open, [](std::size_t count) { return count > 0; });
    if (stuck != open.end()) {
        const Entry& entry = entries_[static_cast<std::size_t>(stuck - open.begin())];
        diagnostics_.error(entry.spans.front(),
                           fmt::format("'{}' comes after a job that comes after it in turn: "
                                       "expected no circle",
                                       entry.name));
    }
}

}  // namespace berth::experiments
