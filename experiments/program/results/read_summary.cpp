#include "experiments/program/results/read_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/parsed_json.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Keeps only the named members of an object, or all if none is named. Skipping the others takes a
/// third of the time.
Json::parser_callback_t keep(std::vector<std::string_view> members) {
    if (members.empty()) {
        return nullptr;
    }
    return [members = std::move(members), inside = true](
               int depth, Json::parse_event_t event, const Json& parsed) mutable {
        if (depth == 1 && event == Json::parse_event_t::key) {
            inside =
                std::ranges::find(members, parsed.get_ref<const std::string&>()) != members.end();
        }
        return inside || depth == 0;
    };
}

/// Reads members of summary.json; each message has the file's name.
class SummaryReader {
public:
    /// `members`: as for read_json().
    explicit SummaryReader(const fs::path& folder, std::vector<std::string_view> members = {})
        : name_((folder / "summary.json").string()) {
        if (!core::is_file(name_)) {
            throw core::InputError(fmt::format(
                "{}: error: this is not a run directory: expected a folder with summary.json",
                folder.string()));
        }
        root_ = read_json(name_, std::move(members));
    }

    void read_into(RunDirectory& run) const {
        if (!root_.is_object() || !text(root_, "schema").starts_with("berth.summary/")) {
            fail("expected an object with the schema 'berth.summary/v1'");
        }
        run.experiment = text(root_, "experiment");
        if (const auto found = root_.find("replications"); found != root_.end()) {
            if (!found->is_number_integer()) {
                fail("'replications': expected a whole number");
            }
            run.replications = found->get<std::int64_t>();
        }
        if (const auto found = root_.find("metrics"); found != root_.end()) {
            if (!found->is_object()) {
                fail("'metrics': expected an object");
            }
            for (const auto& [name, metric] : found->items()) {
                (is_of_quota(name) ? run.quota_metrics : run.metrics)
                    .push_back(read_metric(name, metric));
            }
        }
        read_warnings(run);
        read_window(run);
        read_intervals(run);
        read_claims("claims", "text", run);
        read_claims("expectations", "metric", run);
    }

private:
    [[noreturn]] void fail(std::string_view message) const {
        throw core::InputError(fmt::format("{}: error: {}", name_, message));
    }

    std::string text(const Json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end()) {
            return {};
        }
        if (found->is_string()) {
            return found->get<std::string>();
        }
        if (found->is_number()) {
            return found->dump();
        }
        fail(fmt::format("'{}': expected a text", key));
    }

    std::optional<double> number(const Json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) {
            return std::nullopt;
        }
        if (!found->is_number()) {
            fail(fmt::format("'{}': expected a number", key));
        }
        return found->get<double>();
    }

    MetricSummary read_metric(const std::string& name, const Json& metric) const {
        if (!metric.is_object()) {
            fail(fmt::format("the metric '{}': expected an object", name));
        }
        MetricSummary summary;
        summary.name = name;
        summary.mean = number(metric, "mean");
        summary.sd = number(metric, "sd");
        summary.ci95 = number(metric, "ci95");
        summary.min = number(metric, "min");
        summary.max = number(metric, "max");
        summary.at_least = number(metric, "at_least");
        summary.never_started = number(metric, "never_started");
        constexpr double most = 1e18;
        summary.count =
            static_cast<std::int64_t>(std::clamp(number(metric, "n").value_or(0), 0.0, most));
        return summary;
    }

    void read_window(RunDirectory& run) const {
        const auto found = root_.find("window");
        if (found == root_.end()) {
            return;
        }
        if (!found->is_object()) {
            fail("'window': expected an object with 'from_s' and 'to_s'");
        }
        constexpr double the_end = std::numeric_limits<double>::infinity();
        run.window = {.from_s = number(*found, "from_s").value_or(0),
                      .to_s = number(*found, "to_s").value_or(the_end),
                      .rule = text(*found, "rule")};
    }

    /// Reads how the intervals were computed, if the file states it.
    void read_intervals(RunDirectory& run) const {
        const auto found = root_.find("interval");
        if (found != root_.end() && found->is_object()) {
            run.interval_method = text(*found, "method");
        }
    }

    void read_warnings(RunDirectory& run) const {
        const auto found = root_.find("warnings");
        if (found == root_.end()) {
            return;
        }
        if (!found->is_array()) {
            fail("'warnings': expected a list of texts");
        }
        for (const Json& warning : *found) {
            if (!warning.is_string()) {
                fail("'warnings': expected a list of texts");
            }
            run.warnings.push_back(warning.get<std::string>());
        }
    }

    void read_claims(const char* key, const char* name, RunDirectory& run) const {
        const auto found = root_.find(key);
        if (found == root_.end()) {
            return;
        }
        if (!found->is_array()) {
            fail(fmt::format("'{}': expected a list", key));
        }
        for (const Json& claim : *found) {
            run.claims.push_back(read_claim(claim, name));
            run.claims.back().is_expectation = key == std::string_view("expectations");
        }
    }

    ClaimResult read_claim(const Json& claim, const char* name) const {
        const auto holds = claim.is_object() ? claim.find("holds") : claim.end();
        if (!claim.is_object() || holds == claim.end() || !holds->is_boolean()) {
            fail(fmt::format(
                "a claim: expected an object with '{}', 'expected', 'measured' and 'holds'", name));
        }
        return {text(claim, name),
                text(claim, "expected"),
                text(claim, "measured"),
                holds->get<bool>(),
                text(claim, "source"),
                read_figure(claim)};
    }

    std::optional<ClaimFigure> read_figure(const Json& claim) const {
        const auto figure = claim.find("figure");
        if (figure == claim.end()) {
            return std::nullopt;
        }
        const auto counts = [&](const char* key) {
            const auto found = figure->is_object() ? figure->find(key) : figure->end();
            if (!figure->is_object() || found == figure->end() || !found->is_object()) {
                fail("a claim's 'figure': expected an object with 'published' and 'measured'");
            }
            ClaimFigure::Counts out;
            for (const auto& [node, count] : found->items()) {
                if (!count.is_number_integer()) {
                    fail(fmt::format("a claim's '{}': expected whole numbers", key));
                }
                out.emplace_back(node, count.get<std::int64_t>());
            }
            return out;
        };
        ClaimFigure::Counts published = counts("published");
        ClaimFigure::Counts measured = counts("measured");
        return ClaimFigure{text(*figure, "level"),
                           text(*figure, "by") == "node",
                           std::move(published),
                           std::move(measured)};
    }

    std::string name_;
    Json root_;
};

constexpr std::array<std::string_view, 5> kinds{
    "short:", "not stationary:", "warm-up:", "drain:", "given up:"};

}  // namespace

Json read_json(const fs::path& path, std::vector<std::string_view> only) {
    auto source = std::make_shared<core::SourceText>();
    source->name = path.string();
    source->text = core::text_of_file(path);
    source->may_be_shown = false;  // no program of berth wrote this, so its text is not shown
    try {
        return Json::parse(source->text, keep(std::move(only)));
    } catch (const Json::parse_error& error) {
        const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, source->text.size());
        const std::string before = source->text.substr(0, at);
        core::SourceSpan span;
        span.source = source;
        span.line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
        span.column = static_cast<int>(at - (before.rfind('\n') + 1)) + 1;
        throw core::InputError(span, "this is not JSON: expected what `berth run` wrote");
    } catch (const Json::out_of_range&) {
        throw core::InputError(fmt::format(
            "{}: error: a number has no room: expected at most 1.7e308", path.string()));
    }
}

void read_summary(const fs::path& folder, RunDirectory& run) {
    SummaryReader(folder).read_into(run);
}

std::vector<ClaimResult> read_claims(const fs::path& folder) {
    RunDirectory run;
    SummaryReader(folder, {"schema", "claims", "expectations"}).read_into(run);
    return std::move(run.claims);
}

std::vector<std::pair<std::string, std::string>> read_facts(const fs::path& path) {
    std::vector<std::pair<std::string, std::string>> facts;
    const Json root = read_json(path);
    if (!root.is_object()) {
        throw core::InputError(path.string() + ": error: expected an object");
    }
    for (const auto& [key, value] : root.items()) {
        if (value.is_string() && !value.get<std::string>().empty()) {
            facts.emplace_back(key, value.get<std::string>());
        } else if (value.is_number()) {
            facts.emplace_back(key, experiments::dumped(value));
        }
    }
    return facts;
}

std::vector<std::string> warnings_of_run(const std::filesystem::path& run) {
    const Json summary = Json::parse(
        core::text_of_file_if_any(run / "summary.json").value_or(""), keep({"warnings"}), false);
    std::vector<std::string> out;
    if (summary.is_object() && summary.contains("warnings")) {
        for (const auto& warning : summary.at("warnings")) {
            out.push_back(warning.is_string() ? warning.get<std::string>() : "");
        }
    }
    return out;
}

bool is_about_means(std::string_view warning) {
    return std::ranges::any_of(kinds, [&](auto kind) { return warning.starts_with(kind); });
}

std::vector<std::string> warnings_about_means(const std::filesystem::path& run) {
    std::vector<std::string> out = warnings_of_run(run);
    std::erase_if(out, [](const std::string& warning) { return !is_about_means(warning); });
    return out;
}

std::string kinds_of_warnings(const std::filesystem::path& run) {
    std::string out;
    for (const std::string& warning : warnings_about_means(run)) {
        out += (out.empty() ? "" : ", ") + warning.substr(0, warning.find(':'));
    }
    return out;
}

std::vector<std::string> sweep_warnings(const std::vector<std::filesystem::path>& folders,
                                        const std::vector<std::string>& names) {
    std::array<std::size_t, kinds.size()> points{};
    std::array<std::string, kinds.size()> first;
    for (std::size_t point = 0; point < folders.size(); ++point) {
        for (const std::string& warning : warnings_about_means(folders[point])) {
            for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
                if (warning.starts_with(kinds[kind]) && points[kind]++ == 0) {
                    first[kind] = fmt::format("{}: {}", names[point], warning);
                }
            }
        }
    }
    std::vector<std::string> out;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        if (points[kind] > 0) {
            out.push_back(fmt::format("{} of {} points {} doubtful means; {}{}",
                                      points[kind],
                                      folders.size(),
                                      points[kind] == 1 ? "has" : "have",
                                      points[kind] == 1 ? "" : "the first, ",
                                      first[kind]));
        }
    }
    return out;
}

}  // namespace berth::report
