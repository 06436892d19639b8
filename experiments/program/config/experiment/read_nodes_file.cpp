#include "experiments/program/config/experiment/read_nodes_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/alibaba_nodes_reader.hpp"

namespace berth::experiments {
namespace {

std::string format_by_header(std::string_view text) {
    const std::string_view header = text.substr(0, text.find('\n'));
    const auto has = [&](std::string_view column) { return header.find(column) != header.npos; };
    return has("sn,") || has("cpu_milli,")             ? "openb"
           : has("gpu_capacity_num") && has("cpu_num") ? "spot"
                                                       : "kubernetes";
}

}  // namespace

std::optional<core::Topology> read_nodes_file(const std::filesystem::path& file,
                                              const std::string& format,
                                              core::Diagnostics& diagnostics) {
    const std::vector<std::string> known{"kubernetes", "openb", "spot"};
    if (!format.empty() && std::ranges::find(known, format) == known.end()) {
        throw core::InputError(fmt::format("{}: error: unknown format '{}' of nodes: expected {}{}",
                                           file.string(),
                                           format,
                                           core::alternatives(known),
                                           core::suggestion(format, known)));
    }
    if (format == "kubernetes") {
        return read_topology_file(file, diagnostics);
    }
    const auto source = read_source(file);
    const std::string of = format.empty() ? format_by_header(source->text) : format;
    return of == "openb"  ? topologies::read_openb_nodes(source, {}, {}, diagnostics)
           : of == "spot" ? topologies::read_spot_nodes(source, {}, {}, diagnostics)
                          : read_topology_file(file, diagnostics);
}

}  // namespace berth::experiments
