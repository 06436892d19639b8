#include "experiments/program/config/workload/read_intensity.hpp"

#include <chrono>

#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {
namespace {

using core::MapReader;
using core::Value;

/// A duration above 0.
sim::SimTime read_time(MapReader& map, const std::string& key, sim::SimTime otherwise) {
    const auto time = read_duration(map, key);
    if (time && time->count() == 0) {
        expected(*map.take(key), "a duration above 0", map.diagnostics());
    }
    return time && time->count() > 0 ? *time : otherwise;
}

}  // namespace

void read_intensity(MapReader& process, workloads::Renewal& renewal) {
    constexpr double factor_max = 1e6;
    constexpr sim::SimTime day = std::chrono::hours(24);
    if (const Value* value = process.take("diurnal")) {
        MapReader map(*value, "diurnal", process.diagnostics());
        workloads::Diurnal& diurnal = renewal.diurnal.emplace();
        diurnal.period = read_time(map, "period", day);
        (void)map.need("amplitude");
        diurnal.amplitude = map.number("amplitude", 0, 0, 1);
        diurnal.peak = read_duration(map, "peak").value_or(sim::SimTime(0));
        map.report_unknown_keys();
    }
    if (const Value* value = process.take("bursts")) {
        MapReader map(*value, "bursts", process.diagnostics());
        workloads::Bursts& bursts = renewal.bursts.emplace();
        (void)map.need("every");
        bursts.every = read_time(map, "every", day);
        (void)map.need("length");
        bursts.length = read_time(map, "length", day);
        (void)map.need("factor");
        bursts.factor = map.number("factor", 1, 0, factor_max);
        map.report_unknown_keys();
    }
}

}  // namespace berth::experiments
