#include "experiments/program/commands/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/program/verify/verify_run.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// The names of a run's or a sweep's files in a folder; none if the folder is neither.
std::vector<std::string> results_in(const fs::path& folder) {
    std::vector<std::string> names;
    if (core::exists(folder / "manifest.json")) {
        try {
            for (const auto& [name, digest] : read_manifest(folder).files) {
                names.push_back(name);
            }
            names.insert(names.end(), {"manifest.json", "run.json"});
        } catch (const core::InputError&) {
            return {};  // it is the manifest of something else
        }
    } else if (core::exists(folder / sweep_manifest_name)) {
        names.assign(sweep_files.begin(), sweep_files.end());
        names.insert(names.end(), plan_files.begin(), plan_files.end());
        names.emplace_back(sweep_manifest_name);
    }
    return names;
}

}  // namespace

void check_is_no_result(const fs::path& output) {
    check_file_name(output);
    const fs::path folder = output.has_parent_path() ? output.parent_path() : ".";
    const std::string name = report::name_of_text(output.filename().string());
    const std::vector<std::string> results = results_in(folder);
    if (std::ranges::find(results, name) != results.end()) {
        throw core::InputError(fmt::format(
            "{}: error: has the name of a result, which would be lost: expected another name",
            output.string()));
    }
}

void check_output(const fs::path& output, std::initializer_list<OutputForm> forms) {
    check_is_no_result(output);
    const std::string ending = output.extension().string();
    if (std::ranges::find(forms, ending, &OutputForm::ending) != forms.end()) {
        return;
    }
    std::vector<std::string> known;
    for (const OutputForm& form : forms) {
        known.push_back(fmt::format("{} for {}", form.ending, form.what));
    }
    throw core::InputError(fmt::format(
        "{}: error: expected a name that ends in {}", output.string(), core::alternatives(known)));
}

}  // namespace berth::experiments
