#include "experiments/program/config/experiment/read_nodes_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/support/documents.hpp"
#include "topologies/alibaba_nodes_reader.hpp"
#include "workloads/trace/delimiter.hpp"

namespace berth::experiments {
namespace {

/// A format of nodes, and the columns that only its tables have.
struct NodesFormat {
    const char* name;
    const char* first;
    const char* second;
};
constexpr std::array tables{NodesFormat{"openb", "sn", "cpu_milli"},
                            NodesFormat{"spot", "gpu_capacity_num", "cpu_num"}};

/// The format of a table by its header; nullptr: it is none, and may be a document.
const NodesFormat* format_by_header(std::string_view text) {
    const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
    constexpr std::size_t header_bytes_max = std::size_t{1} << 16U;
    const auto names = workloads::names_in(header.substr(0, header_bytes_max), ',');
    const auto* const at = std::ranges::find_if(tables, [&](const NodesFormat& format) {
        return std::ranges::find(names, format.first) != names.end() &&
               std::ranges::find(names, format.second) != names.end();
    });
    return at == tables.end() ? nullptr : at;
}

}  // namespace

std::optional<core::Topology> read_nodes_file(const std::filesystem::path& file,
                                              const std::string& format,
                                              std::string_view option,
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
    std::string of = format;
    if (const NodesFormat* likely = of.empty() ? format_by_header(source->text) : nullptr;
        likely != nullptr) {
        of = likely->name;
        diagnostics.warning({source, 0, 0, 0},
                            fmt::format("read as nodes of the format {}, since its header has {} "
                                        "and {}; {} names another",
                                        of,
                                        likely->first,
                                        likely->second,
                                        option));
    }
    return of == "openb"  ? topologies::read_openb_nodes(source, {}, {}, diagnostics)
           : of == "spot" ? topologies::read_spot_nodes(source, {}, {}, diagnostics)
                          : read_topology_file(file, diagnostics);
}

}  // namespace berth::experiments
