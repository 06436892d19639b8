#include "experiments/c/finished_run.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/sha256.hpp"

namespace berth::c {

using experiments::RunFiles;

FinishedRun::FinishedRun(experiments::StoredRun files, std::vector<std::string> warnings)
    : files_(std::move(files)), warnings_(std::move(warnings)), names_(files_.names()) {
    const auto summary = experiments::parsed_json(*files_.text("summary.json"));
    for (const auto& [name, values] : summary.at("metrics").items()) {
        const auto mean = values.find("mean");
        metrics_[name] = mean != values.end() && mean->is_number()
                             ? mean->get<double>()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    experiments::Sha256 digest;
    digest.add(*files_.text("manifest.json"));
    digest_ = digest.hex();
}

double FinishedRun::metric(const std::string& name) const {
    const auto found = metrics_.find(name);
    if (found == metrics_.end()) {
        std::vector<std::string> known;
        for (const auto& [metric, mean] : metrics_) {
            known.push_back(metric);
        }
        throw core::InputError(
            fmt::format("{}: error: not a metric of this run: expected one of summary.json{}",
                        name,
                        core::suggestion(name, known)));
    }
    return found->second;
}

const std::string& FinishedRun::file(const std::string& name) {
    last_ = files_.text(name);
    return *last_;
}

const char* FinishedRun::file_name(std::size_t number) const {
    return number < names_.size() ? names_[number].c_str() : nullptr;
}

std::optional<FinishedRun> run_to_its_end(const experiments::ExperimentSpec& spec,
                                          const core::Value& document,
                                          const std::optional<std::filesystem::path>& folder,
                                          unsigned threads,
                                          sim::RunControl& control) {
    experiments::MemoryFiles memory;
    std::optional<experiments::RunDirectory> directory;
    if (folder) {
        directory.emplace(*folder);
    }
    RunFiles& files = folder ? static_cast<RunFiles&>(*directory) : memory;
    experiments::RunOptions options;
    options.threads = threads;
    experiments::RunReport report =
        experiments::run_experiment(spec, document, files, options, control);
    if (report.interrupted) {
        return std::nullopt;
    }
    return FinishedRun(
        folder ? experiments::StoredRun(*folder) : experiments::StoredRun(memory.take()),
        std::move(report.warnings));
}

}  // namespace berth::c
