#pragma once

#include <string_view>

namespace berth::report {

/// The files that make up a report, as they were when berth was built (assets.S.in).
struct PageAssets {
    std::string_view html;  ///< Has `<!--berth:NAME-->` at the places of the other parts.
    std::string_view css;
    /// All of page/ in one script, with the parts of Apache ECharts that it uses.
    std::string_view js;
};

[[nodiscard]] PageAssets page_assets();

/// The script with which Node.js draws figures: page/paper, and the modules of page/ that it uses.
[[nodiscard]] std::string_view paper_script();

}  // namespace berth::report
