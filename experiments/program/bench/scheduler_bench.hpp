#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/bench/benchmark.hpp"

namespace berth::experiments {

/// A trace in some format: its first lines, its rows with their fields, the text between them, and
/// its last line.
struct InventedTrace {
    /// How a field is made from the number of its row: modulo `of` (0: unchanged), plus `plus`.
    struct Field {
        int of = 0;
        int plus = 0;
    };
    std::string_view head;
    std::string_view row;
    std::vector<Field> fields;
    std::string_view between = "";
    std::string_view tail = "";
};

/// The beginning of benchmarks' names, and what their size counts.
using BenchSize = std::pair<std::string_view, std::string_view>;

/// What a scheduler adds to the benchmarks.
struct SchedulerBench {
    std::vector<Benchmark> (*benchmarks)();
    std::span<const BenchSize> sizes;
    /// Makes its traces; the key is the format.
    std::map<std::string, InventedTrace> (*traces)();
};

/// Those of all schedulers that have a folder `bench`, in the order of schedulers/schedulers.def.
[[nodiscard]] std::span<const SchedulerBench> scheduler_benches();

}  // namespace berth::experiments
