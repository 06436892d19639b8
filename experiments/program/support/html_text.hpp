#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Text as it stands in HTML and SVG, also in attributes.
[[nodiscard]] std::string html_text(std::string_view text);

/// A page of HTML with some figures, which needs no other file. `body`: HTML.
[[nodiscard]] std::string plain_page(std::string_view title, std::string_view body);

}  // namespace berth::experiments
