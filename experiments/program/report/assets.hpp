#pragma once

#include <string_view>

namespace berth::report {

/// The files that a report is made of, as they were when berth was built (assets.S.in).
struct PageAssets {
    std::string_view html;  ///< With `<!--berth:NAME-->` where the other parts go.
    std::string_view css;
    std::string_view js;  ///< All of page/ in one, with the parts of Apache ECharts that it uses.
};

[[nodiscard]] PageAssets page_assets();

}  // namespace berth::report
