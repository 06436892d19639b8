#include "experiments/program/sweep/check_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "experiments/program/config/resolve/resolve.hpp"

namespace berth::experiments {
namespace {

using core::Value;

/// The part of a sweep that sets a path, as in `the axis 'load' sets`, and the path.
struct Setter {
    std::string who;
    std::string path;  ///< Has indices for entries of lists.
    core::SourceSpan span;
};

/// The experiment with the content of its files. If these cannot be read, the experiment as
/// written, because an axis may name other files.
Value with_files(const Value& experiment) {
    InputFiles files;
    try {
        return resolve_document(experiment, {}, {}, files);
    } catch (const core::InputError&) {
        return experiment;
    }
}

/// The path with indices. A path to several entries of the same name stays as it is: it is refused
/// when it is set.
std::string by_index(Value& document, const Override& change) {
    try {
        return path_by_index(document, change);
    } catch (const core::InputError&) {
        return change.path;
    }
}

/// Whether a path leads into the value at `outer`.
bool is_inside(const std::string& path, const std::string& outer) {
    return path.size() > outer.size() && path.starts_with(outer) &&
           (path[outer.size()] == '.' || path[outer.size()] == '[');
}

/// The paths that are set so far, in the order of the axes.
class SetPaths {
public:
    explicit SetPaths(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// Adds the path of an axis, which is set after all paths before it.
    void add(const Setter& setter) {
        for (const Setter& before : setters_) {
            if (before.path == setter.path) {
                set_twice(before, setter.span);
                return;
            }
            if (is_inside(before.path, setter.path)) {
                lost(before, setter.path, setter.span);
                return;
            }
        }
        setters_.push_back(setter);
    }

    /// Checks a path of `--set`, which is set before those of axes.
    void check_first(const Setter& setter) {
        for (const Setter& after : setters_) {
            if (after.path == setter.path) {
                set_twice(after, setter.span);
            } else if (is_inside(setter.path, after.path)) {
                lost(setter, after.path, setter.span);
            }
        }
    }

private:
    void set_twice(const Setter& one, const core::SourceSpan& span) {
        diagnostics_.error(span,
                           fmt::format("{} {} too: expected it to be set once", one.who, one.path));
    }

    void lost(const Setter& inner, const std::string& outer, const core::SourceSpan& span) {
        diagnostics_.error(
            span,
            fmt::format("{} {}, which is inside {}, and that replaces it: expected paths of which "
                        "none is inside another",
                        inner.who,
                        inner.path,
                        outer));
    }

    std::vector<Setter> setters_;
    core::Diagnostics& diagnostics_;
};

/// Whether an entry of a list is addressed by its name.
bool names_entries(const SweepSpec& sweep, const std::vector<Override>& overrides) {
    const auto by_name = [](const Override& change) {
        for (std::size_t at = change.path.find('['); at != std::string::npos;
             at = change.path.find('[', at + 1)) {
            const char next = at + 1 < change.path.size() ? change.path[at + 1] : ']';
            if (next < '0' || next > '9') {
                return true;
            }
        }
        return false;
    };
    return std::ranges::any_of(overrides, by_name) ||
           std::ranges::any_of(sweep.axes, [&](const Axis& axis) {
               return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
                   return std::ranges::any_of(value.changes, by_name);
               });
           });
}

}  // namespace

void check_paths(const SweepSpec& sweep,
                 const std::vector<Override>& overrides,
                 core::Diagnostics& diagnostics) {
    Value document =
        names_entries(sweep, overrides) ? with_files(sweep.experiment) : sweep.experiment;
    SetPaths paths(diagnostics);
    if (sweep.replications) {
        paths.add({"the sweep's replications set", "spec.replications", sweep.experiment.span});
    }
    for (const Axis& axis : sweep.axes) {
        std::map<std::string, core::SourceSpan> of_axis;
        for (const AxisValue& value : axis.values) {
            for (const Override& change : value.changes) {
                of_axis.emplace(by_index(document, change), change.span);
            }
        }
        for (const auto& [path, span] : of_axis) {
            paths.add({fmt::format("the axis '{}' sets", axis.name), path, span});
        }
    }
    std::map<std::string, core::SourceSpan> set;  // of equal paths, the last counts
    for (const Override& override : overrides) {
        set[by_index(document, override)] = override.span;
    }
    for (const auto& [path, span] : set) {
        paths.check_first({"--set sets", path, span});
    }
}

}  // namespace berth::experiments
