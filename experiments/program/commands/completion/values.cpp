#include "experiments/program/commands/completion/values.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/commands/completion/paths.hpp"
#include "experiments/program/commands/completion/runs.hpp"
#include "experiments/program/commands/completion/settings.hpp"
#include "experiments/program/commands/lists.hpp"

namespace berth::experiments {

namespace {

/// Numbers, and names that only a whole document tells.
std::vector<Completion> any_completions(const BegunValue& /*begun*/, std::string_view /*detail*/) {
    return {};
}

/// `detail`: the words, with blanks between.
std::vector<Completion> word_completions(const BegunValue& /*begun*/, std::string_view detail) {
    std::istringstream words{std::string(detail)};
    std::vector<Completion> out;
    for (std::string word; words >> word;) {
        out.push_back({word});
    }
    return out;
}

/// `detail`: which of `berth list`.
std::vector<Completion> listed_completions(const BegunValue& /*begun*/, std::string_view detail) {
    std::vector<Completion> out;
    for (const List& list : all_lists()) {
        if (list.name == detail) {
            for (const ListLine& line : list.lines) {
                out.push_back({std::string(line.name), std::string(line.summary)});
            }
        }
    }
    return out;
}

/// The lists themselves.
std::vector<Completion> list_completions(const BegunValue& /*begun*/, std::string_view /*detail*/) {
    std::vector<Completion> out{{std::string(columns_name), "columns of tables"},
                                {std::string(metrics_name), "metrics of summary.json"}};
    for (const List& list : all_lists()) {
        out.push_back({std::string(list.name), std::string(list.title)});
    }
    return out;
}

std::vector<Completion> benchmark_completions(const BegunValue& /*begun*/,
                                              std::string_view /*detail*/) {
    std::vector<Completion> out;
    for (const Benchmark& benchmark : benchmarks({})) {
        out.push_back({benchmark.name, benchmark.summary});
    }
    return out;
}

}  // namespace

const ValueKind* find_value_kind(std::string_view command, std::string_view parameter) {
    static constexpr std::array table{
#define BERTH_VALUE(command, parameter, kind, detail) \
    ValueKind{command, parameter, &kind##_completions, detail},
#include "experiments/program/commands/completion/values.def"
#undef BERTH_VALUE
    };
    const auto* const found = std::ranges::find_if(table, [&](const ValueKind& kind) {
        return kind.command == command && kind.parameter == parameter;
    });
    return found == table.end() ? nullptr : found;
}

}  // namespace berth::experiments
