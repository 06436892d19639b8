#include "experiments/python/module/swept_points.hpp"

#include "experiments/program/run/run_directory.hpp"

namespace berth::python {

std::vector<experiments::Override> overrides_of(const std::vector<std::string>& set) {
    std::vector<experiments::Override> overrides;
    for (const std::string& one : set) {
        overrides.push_back(experiments::parse_override(one));
    }
    return overrides;
}

bool is_decided_in_python(const core::Value& experiment) {
    const core::Value* spec = experiment.find("spec");
    const core::Value* scheduler = spec != nullptr ? spec->find("scheduler") : nullptr;
    return scheduler != nullptr && scheduler->find("python") != nullptr;
}

void put_point(const experiments::SweepDirectory& directory,
               const experiments::PointKey& key,
               const PointFiles& files) {
    const auto lock = directory.try_lock_point(key);
    if (!lock || directory.has_point(key)) {
        return;
    }
    experiments::RunDirectory out(directory.point(key), experiments::Temporary::Leftovers::removed);
    for (const auto& [name, text] : files) {
        out.write(name, std::string(text));
    }
    out.commit();
}

}  // namespace berth::python
