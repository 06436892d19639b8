#include "experiments/program/forecast/picture.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace berth::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array quantiles{"p10", "p25", "p50", "p75", "p90"};

/// The fans of one panel, each of which gets a row of the table.
class Panel {
public:
    Panel(const char* noun, report::FigureTable& table) : noun_(noun), table_(table) {}

    void add(const std::string& name, const Json& start) {
        std::vector<std::string> row{noun_, name};
        for (const char* quantile : quantiles) {
            const Json& at = start.at(quantile);  // null beyond the horizon
            row.push_back(report::cell(at.is_null() ? std::numeric_limits<double>::infinity()
                                                    : at.get<double>()));
        }
        table_.row(row);
        fans_.push_back({{"name", name}, {"start", start}});
    }
    [[nodiscard]] Json take() { return std::move(fans_); }

private:
    const char* noun_;
    report::FigureTable& table_;
    Json fans_ = Json::array();
};

}  // namespace

report::Drawing starts_drawing(const ForecastAnswer& answer) {
    const Json json = forecast_json(answer);
    report::FigureTable table({"of", "name", "p10_s", "p25_s", "p50_s", "p75_s", "p90_s"});
    Panel jobs("job", table);
    Panel forms("form", table);
    for (const Json& job : json.at("jobs")) {
        jobs.add(job.at("job").get<std::string>(), job.at("start_s"));
        if (job.at("asked") == true) {
            forms.add("as it is", job.at("start_s"));
        }
    }
    for (const Json& change : answer.asked ? json.at("changes") : Json::array()) {
        forms.add(change.at("change").get<std::string>(), change.at("start_s"));
    }
    Json data = report::data_of_runs({}, {});
    data["figure"] = "starts";
    data["starts"] = jobs.take();
    data["changes"] = forms.take();
    return {std::move(table), std::move(data)};
}

}  // namespace berth::experiments
