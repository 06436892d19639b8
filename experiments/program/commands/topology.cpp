#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment/read_nodes_file.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "topologies/writers.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

struct Format {
    std::string name;
    void (*write)(std::ostream& out, const core::Topology& topology);
};

const std::vector<Format>& formats() {
    static const std::vector<Format> table{{"text", &topologies::write_text},
                                           {"dot", &topologies::write_dot},
                                           {"graphml", &topologies::write_graphml},
                                           {"json", &topologies::write_json},
                                           {"device", &topologies::write_devices},
                                           {"group-keys", &topologies::write_group_keys},
                                           {"providers", &topologies::write_providers}};
    return table;
}

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    std::ranges::transform(formats(), std::back_inserter(names), &Format::name);
    return names;
}

/// The format that an option states, or that the ending of the output's name tells, or else text.
std::string wanted_format(const po::variables_map& values) {
    const std::filesystem::path output = values["output"].as<std::string>();
    const std::string ending = output.extension().string();
    const bool tells =
        ending.size() > 1 &&
        std::ranges::find(formats(), ending.substr(1), &Format::name) != formats().end();
    return renamed_option(values, "topology", "to", "format")
        .value_or(tells ? ending.substr(1) : "text");
}

}  // namespace

int run_topology(const std::vector<std::string>& arguments) {
    const std::string alternatives = core::alternatives(format_names());
    po::options_description options("options");
    auto add = options.add_options();
    const std::string written = alternatives + " (default: text)";
    add("to", po::value<std::string>()->value_name("FORMAT"), written.c_str());
    add("output,o",
        po::value<std::string>()->default_value("-")->value_name("FILE"),
        "where to write (default: standard output); FILE.dot, .graphml and .json imply --to");
    add("from",
        po::value<std::string>()->value_name("FORMAT"),
        "FILE is a list of nodes of this format: openb, spot, slurm or kubernetes (default: by its "
        "first "
        "line)");
    add("format,f", po::value<std::string>()->value_name("FORMAT"), "the older name of --to");
    const auto values = parse_arguments("topology", arguments, options, "FILE", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file = needed_arguments(*values, "topology", "FILE")[0];
    const std::string wanted = wanted_format(*values);
    const auto format = std::ranges::find(formats(), wanted, &Format::name);
    if (format == formats().end()) {
        throw core::InputError(fmt::format(
            "berth topology: error: unknown format '{}': expected {}", wanted, alternatives));
    }
    core::Diagnostics diagnostics;
    const std::string from = values->count("from") > 0 ? (*values)["from"].as<std::string>() : "";
    auto tree = read_nodes_file(file, from, "--from", diagnostics);
    diagnostics.throw_if_failed();
    auto source = std::make_shared<core::SourceText>();
    source->name = file;
    check_sums(*tree, {source, 0, 0, 0}, diagnostics);
    diagnostics.throw_if_failed();
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    // The text is streamed, because for a large cluster it is many times as large as the cluster.
    const std::string output = (*values)["output"].as<std::string>();
    if (output == "-") {
        format->write(std::cout, *tree);
        std::cout.flush();
        return exit_done;
    }
    check_is_no_result(output);
    WholeFile out(output);
    format->write(out.out(), *tree);
    out.commit();
    return exit_done;
}

}  // namespace berth::experiments
