#include <algorithm>
#include <vector>

#include "workloads/trace/text_blocks.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {

#define BERTH_TRACE_FORMAT(function, name, summary, marks, objects) \
    std::unique_ptr<TraceReader> make_##function##_reader(TextBlocks, const TraceOptions&);
#include "workloads/trace/trace_formats.def"
#undef BERTH_TRACE_FORMAT
#define BERTH_SCHEDULER(name) extern const TraceFormat name##_trace_format;
#include "schedulers/trace.def"
#undef BERTH_SCHEDULER

std::span<const TraceFormat> trace_formats() {
    using Text = std::unique_ptr<std::istream>;
    static const std::vector<TraceFormat> table = [] {
        std::vector<TraceFormat> all{
#define BERTH_TRACE_FORMAT(function, name, summary, marks, objects)                    \
    TraceFormat{name,                                                                  \
                summary,                                                               \
                marks,                                                                 \
                [](Text text, const std::string& file, const TraceOptions& options) {  \
                    return make_##function##_reader({std::move(text), file}, options); \
                },                                                                     \
                objects},
#include "workloads/trace/trace_formats.def"
#undef BERTH_TRACE_FORMAT
#define BERTH_SCHEDULER(name) name##_trace_format,
#include "schedulers/trace.def"
#undef BERTH_SCHEDULER
        };
        std::ranges::sort(all, {}, &TraceFormat::name);
        return all;
    }();
    return table;  // a format named here and not linked is a link error, never a silent absence
}

const TraceFormat* find_trace_format(std::string_view name) {
    const auto found = std::ranges::find(trace_formats(), name, &TraceFormat::name);
    return found == trace_formats().end() ? nullptr : &*found;
}

}  // namespace berth::workloads
