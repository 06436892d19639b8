#include <array>

#include "workloads/trace/text_blocks.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {

#define BERTH_TRACE_FORMAT(function, name, summary, marks) \
    std::unique_ptr<TraceReader> make_##function##_reader(TextBlocks, const TraceOptions&);
#include "workloads/trace/trace_formats.def"
#undef BERTH_TRACE_FORMAT

std::span<const TraceFormat> trace_formats() {
    using Text = std::unique_ptr<std::istream>;
    static constexpr std::array table{
#define BERTH_TRACE_FORMAT(function, name, summary, marks)                             \
    TraceFormat{name,                                                                  \
                summary,                                                               \
                marks,                                                                 \
                [](Text text, const std::string& file, const TraceOptions& options) {  \
                    return make_##function##_reader({std::move(text), file}, options); \
                }},
#include "workloads/trace/trace_formats.def"
#undef BERTH_TRACE_FORMAT
    };
    return table;  // a format named here and not linked is a link error, never a silent absence
}

}  // namespace berth::workloads
