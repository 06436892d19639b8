#include "experiments/program/compare/difference_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {

std::string figure(double value, const PairedDifference& difference) {
    return difference.p ? report::text_to_interval(value, difference.ci95)
                        : report::number_text(value);
}

std::string interval_text(const PairedDifference& difference) {
    return difference.p ? fmt::format("{} to {}",
                                      figure(difference.mean - difference.ci95, difference),
                                      figure(difference.mean + difference.ci95, difference))
                        : "";
}

std::string p_text(const std::optional<double>& p) {
    constexpr double least = 0.0001;
    if (!p) {
        return "";
    }
    return *p < least ? "<0.0001" : fmt::format("{:.2g}", *p);
}

std::string text_table(const std::vector<TextRow>& rows) {
    const std::size_t columns = rows.front().size();
    std::vector<std::size_t> width(columns);
    for (const TextRow& row : rows) {
        for (std::size_t c = 0; c < columns; ++c) {
            width[c] = std::max(width[c], row[c].size());
        }
    }
    std::string out;
    for (const TextRow& row : rows) {
        out += fmt::format("  {:<{}}", row[0], width[0]);
        for (std::size_t c = 1; c + 1 < columns; ++c) {
            out += fmt::format("  {:>{}}", row[c], width[c]);
        }
        out += fmt::format("  {}\n", row.back());
    }
    return out;
}

std::string plural(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string some(std::vector<std::string> names) {
    constexpr std::size_t shown_max = 8;
    const std::size_t all = names.size();
    names.resize(std::min(all, shown_max));
    return fmt::format("{}{}",
                       core::join(names, ", "),
                       all > shown_max ? fmt::format(" and {} more", all - shown_max) : "");
}

}  // namespace berth::experiments
