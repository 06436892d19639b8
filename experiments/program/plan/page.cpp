#include "experiments/program/plan/page.hpp"

#include <fmt/format.h>

#include "experiments/program/plan/picture.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
body {{ color: #222; }}
h1 {{ font-size: 1.4rem; }}
h2 {{ font-size: 1.05rem; margin-top: 2rem; }}
svg {{ width: 100%; height: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid #ddd; }}
tr.answer {{ font-weight: bold; }}
</style>
</head>
<body>
)";

std::string table_of(const PlanAnswer& answer) {
    std::string out = "<table>\n<tr><th>choice</th><th>cost</th>";
    for (const PlanRequirement& requirement : answer.plan.requirements) {
        out += fmt::format("<th>{}</th>", html_text(requirement.text));
    }
    out += "<th>replications</th><th>verdict</th></tr>\n";
    for (const std::size_t choice : tried_choices(answer)) {
        const TriedChoice& tried = answer.outcome.choices[choice];
        out += fmt::format("<tr{}><td>{}</td><td>{}</td>",
                           answer.outcome.answer == choice ? " class=\"answer\"" : "",
                           html_text(answer.choices[choice].name),
                           report::number_text(answer.choices[choice].cost, 6));
        for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
            out += fmt::format("<td>{}</td>", html_text(estimate_text(answer, choice, i)));
        }
        out += fmt::format(
            "<td>{}</td><td>{}</td></tr>\n", tried.replications, to_string(tried.standing));
    }
    return out + "</table>\n";
}

}  // namespace

std::string plan_page(const PlanAnswer& answer) {
    const std::string name = html_text(answer.plan.sweep.name);
    std::string out = fmt::format(fmt::runtime(head), name);
    out += fmt::format("<h1>{}</h1>\n", html_text(answer_line(answer)));
    for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
        out += fmt::format("<h2>{}</h2>\n", html_text(answer.plan.requirements[i].text));
        out += requirement_picture(answer, i);
    }
    out += "<h2>What was tried, the least costly first</h2>\n" + table_of(answer);
    out += fmt::format("<p>{}</p>\n", html_text(what_binds(answer)));
    for (const std::string& warning : answer.warnings) {
        out += fmt::format("<p>{}</p>\n", html_text(warning));
    }
    out += fmt::format(
        "<p>{}: {} of {} choices were tried. All intervals hold together with a confidence of {} "
        "%; ± is half the width of one. The shaded area keeps the requirement; a choice whose "
        "interval reaches beyond it is in doubt.</p>\n</body>\n</html>\n",
        name,
        tried_choices(answer).size(),
        answer.choices.size(),
        report::number_text(100 * answer.plan.confidence));
    return out;
}

}  // namespace berth::experiments
