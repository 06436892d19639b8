#include "experiments/program/config/workload/trace_origin.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace berth::experiments {

using core::Diagnostics;
using core::MapReader;
using core::Value;

namespace {

std::map<std::string, std::string> read_columns(const Value* list, Diagnostics& diagnostics) {
    std::map<std::string, std::string> columns;
    if (list == nullptr) {
        return columns;
    }
    if (!list->is_map()) {
        expected(*list, "the file's columns by field, such as {submit: SubmitTime}", diagnostics);
    }
    for (const core::Member& member : list->members) {
        columns[member.key] = read_text(member.value, diagnostics).value_or("");
    }
    return columns;
}

}  // namespace

TraceOrigin read_trace_origin(MapReader& map) {
    TraceOrigin origin;
    std::vector<std::string> formats;
    for (const workloads::TraceFormat& format : workloads::trace_formats()) {
        formats.emplace_back(format.name);
    }
    if (map.take("format") == nullptr) {
        map.diagnostics().error(map.span(),
                                fmt::format("no 'format' beside the file: expected {}; berth "
                                            "workload FILE --check tells which it is",
                                            core::alternatives(formats)));
    }
    origin.format = formats[map.choice("format", formats, 0)];
    (void)map.need("file");
    origin.file = map.text("file", "");
    (void)map.take("sha256");  // was held against the file when the experiment was resolved
    origin.options.lenient = map.boolean("lenient", false);
    origin.options.columns = read_columns(map.take("columns"), map.diagnostics());
    return origin;
}

std::unique_ptr<workloads::TraceReader> open(const TraceOrigin& origin) {
    return workloads::open_trace(origin.format, origin.file, origin.options);
}

}  // namespace berth::experiments
