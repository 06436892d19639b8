#include "experiments/program/commands/completion/settings.hpp"

#include <array>
#include <string>

#include "experiments/program/commands/lists.hpp"

namespace berth::experiments {

namespace {

/// A path of an experiment whose value is a name of a list, or a list with such a name.
struct Setting {
    std::string_view path;
    std::string_view list;
    bool is_list = false;
};

constexpr std::array settings{
    Setting{"spec.scheduler.profile.placementGroup.numFit", "num-fits"},
    Setting{"spec.scheduler.profile.placementGroup.solver", "solvers"},
    Setting{"spec.scheduler.profile.postFilter", "post-filters", true},
    Setting{"spec.scheduler.profile.queueSort", "queue-sorts"},
    Setting{"spec.scheduler.profile.reserve", "reserves", true},
    Setting{"spec.scheduler.profile.reserve", "shared-reserves", true},
    Setting{"spec.scheduler.profile.score", "gpu-scores", true},
    Setting{"spec.scheduler.profile.score", "scores", true},
};

void add_values(const Setting& setting, std::vector<Completion>& out) {
    for (const List& list : all_lists()) {
        if (list.name != setting.list) {
            continue;
        }
        for (const ListLine& line : list.lines) {
            const std::string name(line.name);
            out.push_back(
                {std::string(setting.path) + "=" + (setting.is_list ? "[" + name + "]" : name),
                 std::string(line.summary)});
        }
    }
}

}  // namespace

std::vector<Completion> setting_completions(const BegunValue& begun, std::string_view /*detail*/) {
    std::vector<Completion> out;
    std::string_view last;
    for (const Setting& setting : settings) {
        const std::string path = std::string(setting.path) + "=";
        if (begun.text.starts_with(path)) {
            add_values(setting, out);
        } else if (setting.path != last) {
            out.push_back({path});
        }
        last = setting.path;
    }
    return out;
}

}  // namespace berth::experiments
