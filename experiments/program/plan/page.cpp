#include "experiments/program/plan/page.hpp"

#include <fmt/format.h>

#include "experiments/program/plan/picture.hpp"
#include "experiments/program/support/html_text.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

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
    std::string out = fmt::format("<h1>{}</h1>\n", html_text(answer_line(answer)));
    for (std::size_t i = 0; i < answer.plan.requirements.size(); ++i) {
        out += fmt::format("<h2>{}</h2>\n", html_text(answer.plan.requirements[i].text));
        out += requirement_picture(answer, i);
    }
    out += "<h2>What was tried, the least costly first</h2>\n" + table_of(answer);
    out += fmt::format("<p>{}</p>\n", html_text(what_binds(answer)));
    for (const std::string& warning : answer.warnings) {
        out += fmt::format("<p>{}</p>\n", html_text(warning));
    }
    out += fmt::format("<p>{}: {}.{} The shaded area keeps the requirement.</p>\n",
                       name,
                       how_sure(answer),
                       answer.plan.replications_are_equal
                           ? ""
                           : " ± is half the width of an interval; a choice whose interval reaches "
                             "beyond the shaded area is in doubt.");
    return plain_page(answer.plan.sweep.name, out);
}

}  // namespace berth::experiments
