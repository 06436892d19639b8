#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/bench/benchmark.hpp"
#include "experiments/commands/command.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

std::string_view family(std::string_view name) {
    return name.substr(0, name.find('/'));
}

std::vector<const Benchmark*> select(const std::vector<std::string>& names) {
    std::vector<const Benchmark*> selected;
    std::vector<std::string> known;
    for (const Benchmark& benchmark : benchmarks()) {
        known.emplace_back(benchmark.name);
    }
    for (const std::string& name : names) {
        bool found = false;
        for (const Benchmark& benchmark : benchmarks()) {
            if (benchmark.name == name || family(benchmark.name) == name) {
                selected.push_back(&benchmark);
                found = true;
            }
        }
        if (!found) {
            throw core::InputError(
                fmt::format("berth bench: error: unknown benchmark '{}': expected {}{}",
                            name,
                            core::alternatives(known),
                            core::suggestion(name, known)));
        }
    }
    for (std::size_t i = 0; names.empty() && i < benchmarks().size(); ++i) {
        selected.push_back(&benchmarks()[i]);
    }
    return selected;
}

void print_json(const Measurement& m) {
    const nlohmann::ordered_json line{{"benchmark", m.benchmark},
                                      {"size", m.size},
                                      {"unit", m.unit},
                                      {"count", m.count},
                                      {"best_s", m.best_s},
                                      {"median_s", m.median_s},
                                      {"rate_per_s", 1 / m.median_s},
                                      {"counters", m.counters}};
    std::cout << line.dump() << std::endl;
}

void print_text(const Measurement& m) {
    std::string counters;
    for (const auto& [name, value] : m.counters) {
        counters += fmt::format("  {} {}", value, name);
    }
    std::cout << fmt::format("{:<26} {:>9}  best {:>10.3f} us  median {:>10.3f} us  {}{}\n",
                             m.benchmark,
                             m.size,
                             m.best_s * 1e6,
                             m.median_s * 1e6,
                             m.unit,
                             counters)
              << std::flush;
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("json", "one JSON object a line");
    add("list", "list the benchmarks");
    const auto values = parse_arguments("bench", arguments, options, "NAME", -1);
    if (!values) {
        return exit_done;
    }
    if (values->count("list") > 0) {
        for (const Benchmark& benchmark : benchmarks()) {
            std::cout << fmt::format("{:<26} {}\n", benchmark.name, benchmark.summary);
        }
        return exit_done;
    }
    const auto print = values->count("json") > 0 ? &print_json : &print_text;
    for (const Benchmark* benchmark : select(positional_arguments(*values, "bench", "NAME", 0))) {
        benchmark->run(print);
    }
    return exit_done;
}

}  // namespace berth::experiments
