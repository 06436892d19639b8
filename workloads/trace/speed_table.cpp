#include "workloads/trace/speed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "core/support/value.hpp"
#include "workloads/trace/csv_rows.hpp"

namespace berth::workloads {
namespace {

using sim::MicroSteps;
using sim::ModelSpeeds;
using sim::SpeedKey;

enum Column : std::size_t { model, batch_size, gpus, steps_per_s, machine_type, consolidated };

constexpr AmountUnit positive{1, 1'000'000'000'000, "a whole number above 0", true};
constexpr AmountUnit micro_steps{
    sim::one_step, 1'000'000'000'000'000, "steps a second, above 0 and at most 10^9"};

std::int64_t above_zero(const CsvRows& rows, std::size_t column, const AmountUnit& unit) {
    const std::int64_t number = rows.need_amount(column, unit);
    if (number == 0) {
        rows.fail(column, "none", unit.expected);
    }
    return number;
}

bool is_consolidated(const CsvRows& rows) {
    const std::string_view text = rows.text(consolidated);
    if (!text.empty() && text != "yes" && text != "no") {
        rows.fail(consolidated, "neither yes nor no", "yes for jobs on one server, or no");
    }
    return text != "no";
}

/// The speed on a line between the rows with the next fewer and the next more GPUs; 0 if one of
/// them is missing.
MicroSteps between_rows(const ModelSpeeds& speeds, const SpeedKey& key) {
    std::optional<std::pair<std::int64_t, MicroSteps>> fewer;
    std::optional<std::pair<std::int64_t, MicroSteps>> more;
    for (const auto& [row, speed] : speeds.rows()) {
        SpeedKey same = key;
        same.gpus = row.gpus;
        if (row != same) {
            continue;
        }
        if (row.gpus < key.gpus) {
            fewer = {row.gpus, speed};
        } else if (!more) {
            more = {row.gpus, speed};
        }
    }
    if (!fewer || !more) {
        return 0;
    }
    __extension__ using Wide = __int128;
    const Wide rise = Wide{more->second - fewer->second} * (key.gpus - fewer->first);
    return fewer->second + static_cast<MicroSteps>(rise / (more->first - fewer->first));
}

}  // namespace

std::shared_ptr<const ModelSpeeds> SpeedTable::speeds_of(
    std::string_view model,
    std::int64_t gpus,
    const std::vector<std::int64_t>& batch_sizes,
    std::string& lack) const {
    const auto found = models.find(model);
    if (found == models.end()) {
        std::vector<std::string> names;
        std::ranges::transform(
            models, std::back_inserter(names), [](const auto& one) { return one.first; });
        lack = fmt::format("{} has no model '{}': expected {}{}",
                           file,
                           model,
                           core::alternatives(names),
                           core::suggestion(std::string(model), names));
        return nullptr;
    }
    std::shared_ptr<const ModelSpeeds> speeds = found->second;
    std::shared_ptr<ModelSpeeds> more;
    for (const std::int64_t batch : batch_sizes) {
        for (const std::string& type : machine_types) {
            const SpeedKey key{batch, gpus, type, true};
            if (speeds->find(key) > 0) {
                continue;
            }
            MicroSteps between = between_rows(*speeds, key);
            if (between == 0) {
                between = between_rows(*speeds, {batch, gpus, "", true});
            }
            if (between == 0 || !interpolates) {
                lack = fmt::format(
                    "{} has no row for {} with batch_size {} on gpus {}{}: expected one{}",
                    file,
                    model,
                    batch,
                    gpus,
                    type.empty() ? "" : " of machine_type " + type,
                    between > 0 ? ", or interpolate: true beside the name of the table" : "");
                return nullptr;
            }
            more = more != nullptr ? more : std::make_shared<ModelSpeeds>(*speeds);
            more->add(key, between);
            speeds = more;
        }
    }
    return speeds;
}

SpeedTable read_speed_table(const std::string& text, const std::string& file) {
    CsvRows rows({std::make_unique<std::istringstream>(text), file},
                 {},
                 {{"model"},
                  {"batch_size"},
                  {"gpus"},
                  {"steps_per_s"},
                  {"machine_type", false},
                  {"consolidated", false}});
    std::map<std::string, std::shared_ptr<ModelSpeeds>, std::less<>> models;
    while (rows.next()) {
        const std::string name(rows.text(model));
        if (name.empty()) {
            rows.fail(model, "empty", "the model's name");
        }
        std::shared_ptr<ModelSpeeds>& speeds = models[name];
        if (speeds == nullptr) {
            speeds = std::make_shared<ModelSpeeds>();
        }
        SpeedKey key{above_zero(rows, batch_size, positive),
                     above_zero(rows, gpus, positive),
                     std::string(rows.text(machine_type)),
                     is_consolidated(rows)};
        if (speeds->rows().contains(key)) {
            rows.fail_row("a second speed for the same job and place: expected one");
        }
        speeds->add(std::move(key), above_zero(rows, steps_per_s, micro_steps));
    }
    if (models.empty()) {
        throw core::InputError(
            fmt::format("{}:1:1: error: no row below the header: expected speeds", file));
    }
    SpeedTable table;
    table.file = file;
    table.models = {models.begin(), models.end()};
    table.machine_types = {""};
    return table;
}

}  // namespace berth::workloads
