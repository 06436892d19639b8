#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

std::string_view family(std::string_view name) {
    return name.substr(0, name.find('/'));
}

std::vector<Benchmark> select(const std::vector<Benchmark>& all,
                              const std::vector<std::string>& names) {
    if (names.empty()) {
        return all;
    }
    std::vector<Benchmark> selected;
    for (const std::string& name : names) {
        const auto named = [&](const Benchmark& benchmark) {
            return benchmark.name == name || family(benchmark.name) == name;
        };
        if (std::ranges::none_of(all, named)) {
            std::vector<std::string> known;
            std::ranges::transform(all, std::back_inserter(known), &Benchmark::name);
            throw core::InputError(
                fmt::format("berth bench: error: unknown benchmark '{}': expected {}{}",
                            name,
                            core::alternatives(known),
                            core::suggestion(name, known)));
        }
        std::ranges::copy_if(all, std::back_inserter(selected), named);
    }
    return selected;
}

/// The files in `--nodes`, `--pods` and `--typical`.
OpenbFiles files_of(const po::variables_map& values) {
    const auto text = [&](const char* option) {
        return values.count(option) > 0 ? values[option].as<std::string>() : std::string();
    };
    OpenbFiles files{text("nodes"), text("pods"), text("typical")};
    if (files.nodes.empty() != files.pods.empty() ||
        (files.nodes.empty() && !files.typical.empty())) {
        throw core::InputError(
            "berth bench: error: --nodes, --pods and --typical are of one trace: expected --nodes "
            "and --pods together");
    }
    return files;
}

/// The value of `--size` or `--units`.
std::optional<std::uint64_t> number_of(const po::variables_map& values, const std::string& option) {
    if (values.count(option) == 0) {
        return std::nullopt;
    }
    const std::int64_t number = values[option].as<std::int64_t>();
    if (number < 1) {
        throw core::InputError(
            fmt::format("berth bench: error: --{} is {}: expected at least 1", option, number));
    }
    return static_cast<std::uint64_t>(number);
}

void print_json(const Measurement& m) {
    const nlohmann::ordered_json line{{"benchmark", m.benchmark},
                                      {"size", m.size},
                                      {"size_of", size_of(m.benchmark)},
                                      {"unit", m.unit},
                                      {"count", m.count},
                                      {"best_s", m.best_s},
                                      {"median_s", m.median_s},
                                      {"rate_per_s", 1 / m.median_s},
                                      {"counters", m.counters}};
    std::cout << dumped(line) << std::endl;
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
    add("size", po::value<std::int64_t>()->value_name("N"), "only at this size");
    add("units",
        po::value<std::int64_t>()->value_name("N"),
        "do so many units of work, as for a profiler, instead of as many as are done in a second");
    add("nodes", po::value<std::string>()->value_name("FILE"), "fgd: an openb node list");
    add("pods", po::value<std::string>()->value_name("FILE"), "fgd: an openb pod list");
    add("typical",
        po::value<std::string>()->value_name("FILE"),
        "fgd: the pods by which fragmentation is measured (default: those of --pods)");
    const auto values = parse_arguments("bench", arguments, options, "NAME", -1);
    if (!values) {
        return exit_done;
    }
    const std::vector<Benchmark> all = benchmarks(files_of(*values));
    if (values->count("list") > 0) {
        for (const Benchmark& benchmark : all) {
            std::cout << fmt::format("{:<26} {}\n", benchmark.name, benchmark.summary);
        }
        return exit_done;
    }
    const auto print = values->count("json") > 0 ? &print_json : &print_text;
    const auto names = positional_arguments(*values, "NAME");
    bool measured = false;
    const Bench bench(number_of(*values, "size"), number_of(*values, "units"), [&](const auto& m) {
        measured = true;
        print(m);
    });
    for (const Benchmark& benchmark : select(all, names)) {
        benchmark.run(bench);
    }
    if (!measured) {
        throw core::InputError(
            "berth bench: error: none of the benchmarks has this --size: expected one of the sizes "
            "that they show without it");
    }
    return exit_done;
}

}  // namespace berth::experiments
