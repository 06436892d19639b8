#include "experiments/program/report/assets.hpp"

#include <cstddef>

extern "C" {
extern const char berth_page_html[];
extern const char berth_page_html_end[];
extern const char berth_page_css[];
extern const char berth_page_css_end[];
extern const char berth_page_js[];
extern const char berth_page_js_end[];
extern const char berth_paper_js[];
extern const char berth_paper_js_end[];
}

namespace berth::report {
namespace {

std::string_view between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

PageAssets page_assets() {
    return {between(berth_page_html, berth_page_html_end),
            between(berth_page_css, berth_page_css_end),
            between(berth_page_js, berth_page_js_end)};
}

std::string_view paper_script() {
    return between(berth_paper_js, berth_paper_js_end);
}

}  // namespace berth::report
