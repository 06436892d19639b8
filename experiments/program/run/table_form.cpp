#include "experiments/program/run/table_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

TableForm table_form(const std::string& tables,
                     const std::string& compress,
                     std::string_view dashes) {
    const auto is_other = [&](std::string_view option,
                              const std::string& given,
                              const std::vector<std::string>& known) {
        if (std::ranges::find(known, given) == known.end()) {
            throw core::InputError(fmt::format("{}{}: error: found '{}': expected {}{}",
                                               dashes,
                                               option,
                                               given,
                                               core::alternatives(known),
                                               core::suggestion(given, known)));
        }
        return given == known.back();
    };
    return {.arrow = is_other("tables", tables, {"csv", "arrow"}),
            .zstd = is_other("compress", compress, {"none", "zst"})};
}

}  // namespace berth::experiments
