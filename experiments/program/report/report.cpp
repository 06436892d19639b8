#include "experiments/program/report/report.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "core/support/assert.hpp"
#include "core/support/source.hpp"
#include "experiments/program/report/assets.hpp"
#include "experiments/program/report/page_data.hpp"
#include "experiments/program/report/sweep_data.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::report {
namespace {

/// JSON for a script element: it contains no `<`, which could end the element.
std::string embeddable(const nlohmann::ordered_json& data) {
    const std::string text = experiments::dumped(data);
    std::string out;
    out.reserve(text.size());
    std::size_t from = 0;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', from)) {
        out.append(text, from, at - from).append("\\u003c");
        from = at + 1;
    }
    return out.append(text, from);
}

nlohmann::ordered_json page_data(const std::vector<std::filesystem::path>& directories,
                                 const PageOptions& options) {
    std::vector<RunDirectory> runs;
    for (const std::filesystem::path& path : directories) {
        if (is_sweep_directory(path)) {
            if (directories.size() > 1) {
                throw core::InputError(path.string() +
                                       ": error: a sweep has a page of its own: expected it alone, "
                                       "or run directories");
            }
            return make_sweep_data(read_sweep_directory(path), {}, options.target);
        }
        runs.push_back(read_run_directory(path));
    }
    auto data = make_page_data(std::move(runs), {}, options.comparison, options.index);
    if (!options.title.empty()) {
        add_to_some<"WrittenPage">(data, field<"title">(options.title));
    }
    return data;
}

}  // namespace

void write_report(const std::vector<std::filesystem::path>& directories,
                  std::ostream& out,
                  const PageOptions& options) {
    if (directories.empty()) {
        throw core::InputError("error: no run directory: expected one or more");
    }
    write_page(page_data(directories, options), out);
}

void write_page(const nlohmann::ordered_json& page, std::ostream& out) {
    const std::string data = embeddable(page);
    const PageAssets assets = page_assets();
    constexpr std::string_view open = "<!--berth:";
    constexpr std::string_view close = "-->";
    std::string_view rest = assets.html;
    while (true) {
        const std::size_t at = rest.find(open);
        out << rest.substr(0, at);
        if (at == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(at + open.size());
        const std::size_t end = rest.find(close);
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(end + close.size());
        if (part == "css") {
            out << assets.css;
        } else if (part == "js") {
            out << assets.js;
        } else {
            BERTH_ASSERT(part == "data", "page.html names a part that is none");
            out << data;
        }
    }
}

}  // namespace berth::report
