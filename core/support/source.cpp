#include "core/support/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/support/text.hpp"

namespace berth::core {
namespace {

std::string_view line_of(std::string_view text, int line) {
    for (int at = 1; at < line; ++at) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(end + 1);
    }
    return text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
}

/// The number of letters that are inserted, left out, changed, or exchanged with their neighbour
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const std::size_t change = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            table[i][j] = std::min({change, table[i - 1][j] + 1, table[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[a.size()][b.size()];
}

/// A readable form, in one line, of a message that quotes a key or a value of the document, or of
/// the name of a source, which may quote an option. A text that is too long keeps its beginning and
/// its end, and spaces replace characters 0, which would end the message.
std::string readable(std::string_view message) {
    constexpr std::size_t begin = 1500;
    constexpr std::size_t end = 500;
    std::string out(message);
    if (message.size() > 2 * (begin + end)) {
        out = fmt::format(
            "{} [...] {}", message.substr(0, begin), message.substr(message.size() - end));
    }
    std::ranges::replace(out, '\0', ' ');
    return in_one_line(out);
}

}  // namespace

std::string render(const SourceSpan& span, std::string_view severity, std::string_view whole) {
    const std::string message = readable(whole);
    const std::string name = span.source ? readable(span.source->name) : "input";
    if (span.line <= 0) {
        return fmt::format("{}: {}: {}", name, severity, message);
    }
    std::string out =
        fmt::format("{}:{}:{}: {}: {}", name, span.line, span.column, severity, message);
    const bool shows = span.source && span.source->may_be_shown;
    const std::string_view line =
        shows ? line_of(span.source->text, span.line) : std::string_view();
    constexpr std::size_t shown_max = 160;  // a line of minified JSON would not help the reader
    const auto column = static_cast<std::size_t>(std::max(span.column - 1, 0));
    const bool has_zeros = line.find('\0') != std::string_view::npos;
    if (line.empty() || column > line.size() || line.size() > shown_max || has_zeros) {
        return out;
    }
    std::string indent(line.substr(0, column));
    std::ranges::replace_if(indent, [](char c) { return c != '\t'; }, ' ');
    const std::size_t room = std::max<std::size_t>(line.size() - column, 1);
    const auto length = std::min(static_cast<std::size_t>(std::max(span.length, 1)), room);
    out += fmt::format("\n  {}\n  {}^{}", line, indent, std::string(length - 1, '~'));
    return out;
}

InputError::InputError(std::string_view message) : std::runtime_error(in_one_line(message)) {}

void Diagnostics::error(const SourceSpan& span, std::string_view message) {
    ++error_count_;
    if (errors_.size() < errors_shown_max) {
        errors_.push_back(render(span, "error", message));
    }
}

void Diagnostics::warning(const SourceSpan& span, std::string_view message) {
    warnings_.push_back(render(span, "warning", message));
}

void Diagnostics::throw_if_failed() const {
    if (!failed()) {
        return;
    }
    std::string all = join(errors_, "\n");
    if (error_count_ > errors_.size()) {
        all += fmt::format("\nand {} more", error_count_ - errors_.size());
    }
    throw InputError(MessageLines{all});
}

namespace {

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

/// Whether `wanted` is a short form of the other name: its initials, or a part of it.
bool is_short_for(std::string_view wanted, std::string_view candidate) {
    constexpr std::size_t part_min = 4;
    constexpr std::string_view separators = "-_ ./";
    if (wanted.size() >= part_min && candidate.find(wanted) != std::string_view::npos) {
        return true;
    }
    std::string initials;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
        if (i == 0 || separators.find(candidate[i - 1]) != std::string_view::npos) {
            initials += candidate[i];
        }
    }
    return initials.size() > 1 && initials == wanted;
}

/// The nearest candidate, or those that `wanted` is short for.
std::vector<std::string> near_ones(std::string_view wanted,
                                   const std::vector<std::string>& candidates) {
    constexpr std::size_t name_max = 200;
    if (wanted.size() > name_max) {
        return {};  // this is no typing error, and comparing it would take long
    }
    for (const std::string& candidate : candidates) {
        const bool named = !wanted.empty() && !candidate.empty();
        if (named && (candidate.ends_with(fmt::format("/{}", wanted)) ||
                      wanted.ends_with(fmt::format("/{}", candidate)))) {
            return {candidate};  // `gpu` means nvidia.com/gpu and not cpu
        }
    }
    const std::string small = lower_case(wanted);
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(wanted.size() / 3, 1) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(small, lower_case(candidate));
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    if (!best.empty()) {
        return {best};
    }
    std::vector<std::string> meant;
    std::ranges::copy_if(candidates, std::back_inserter(meant), [&](const std::string& candidate) {
        return is_short_for(wanted, candidate);
    });
    return meant;
}

}  // namespace

std::string nearest(std::string_view wanted, const std::vector<std::string>& candidates) {
    const std::vector<std::string> near = near_ones(wanted, candidates);
    return near.empty() ? "" : near.front();
}

std::string suggestion(std::string_view wanted, const std::vector<std::string>& candidates) {
    constexpr std::size_t shown_max = 3;
    std::string out;
    const std::vector<std::string> near = near_ones(wanted, candidates);
    const std::size_t shown = std::min(near.size(), shown_max);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string_view between = i == 0 ? "" : i + 1 == shown ? " or " : ", ";
        out += fmt::format("{}'{}'", between, near[i]);
    }
    return out.empty() ? "" : fmt::format(" (did you mean {}?)", out);
}

}  // namespace berth::core
