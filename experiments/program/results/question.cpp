#include "experiments/program/results/question.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <vector>

#include "experiments/program/results/paid_resource.hpp"
#include "experiments/program/results/scheduler_results.hpp"
#include "experiments/program/results/setup_text.hpp"
#include "experiments/program/support/interval_text.hpp"
#include "sim/clock/time.hpp"

namespace berth::report {
namespace {

/// A configuration that contains a whole cluster is too long to read for one sentence.
constexpr std::size_t configuration_bytes_max = std::size_t{4} << 20U;

std::string counted(std::size_t count, std::string_view noun) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3) {
        digits.insert(at - 3, ",");
    }
    return fmt::format("{} {}{}", digits, noun, count == 1 ? "" : "s");
}

std::string background_text(const YAML::Node& background) {
    const std::string load = text_of(child(background, "load"));
    return load.empty() ? "beside a given background"
                        : fmt::format("beside a random background of load {}", load);
}

/// Describes groups, with their size if all have the same.
std::string groups_text(const YAML::Node& groups) {
    std::string size;
    for (const YAML::Node& group : groups) {
        const YAML::Node document = child(group, "document");
        const YAML::Node own = child(child(child(document, "spec"), "group"), "size");
        const std::string one =
            text_of(child(group, "size")).empty() ? text_of(own) : text_of(child(group, "size"));
        size = groups.size() == 1 || size.empty() || size == one ? one : "?";
    }
    const bool known = !size.empty() && size != "?";
    if (groups.size() == 1) {
        return known ? fmt::format("one group of {}", size) : "one group";
    }
    return counted(groups.size(), "group") + (known ? fmt::format(" of {}", size) : "");
}

std::string pods_text(const YAML::Node& pods) {
    std::size_t count = 0;
    for (const YAML::Node& pod : pods) {
        const std::string times = text_of(child(pod, "count"));
        const bool number = !times.empty() && times.size() < 10 &&
                            times.find_first_not_of("0123456789") == std::string::npos;
        count += number ? std::stoul(times) : 1;
    }
    return counted(count, "pod");
}

/// A duration in words, such as `3 min` for `180s`; any other text is returned as it is.
std::string in_words(const std::string& duration) {
    const auto time = sim::parse_duration(duration);
    return time ? duration_text(sim::seconds(*time)) : duration;
}

std::string generated_text(const YAML::Node& generate) {
    const YAML::Node group = child(generate, "group");
    const std::string size = text_of(child(child(child(group, "spec"), "group"), "size"));
    const YAML::Node arrivals = child(generate, "arrivals");
    const std::string mean = text_of(child(arrivals, "mean"));
    const std::string value = text_of(child(arrivals, "value"));
    const std::string constant = value.empty() ? text_of(arrivals) : value;
    const std::string what = group ? (size.empty() ? "groups" : fmt::format("groups of {}", size))
                                   : (child(generate, "mix") ? "a mixture of jobs" : "pods");
    if (!constant.empty()) {
        return fmt::format("{}, one every {}", what, in_words(constant));
    }
    return mean.empty() ? fmt::format("a generated stream of {}", what)
                        : fmt::format("{}, one every {} on average", what, in_words(mean));
}

std::string trace_text(const YAML::Node& trace) {
    const std::string file = std::filesystem::path(text_of(child(trace, "file"))).filename();
    return fmt::format("the jobs of the trace {}",
                       file.empty() ? text_of(child(trace, "format")) : file);
}

std::string workload_text(const YAML::Node& workload) {
    if (!workload || !workload.IsSequence()) {
        return {};
    }
    std::vector<std::string> jobs;
    std::string background;
    std::vector<YAML::Node> sources(workload.begin(), workload.end());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const YAML::Node source = sources[i];
        if (const auto own = child(source, "background")) {
            background = background_text(own);
        } else if (const auto groups = child(source, "groups")) {
            jobs.push_back(groups_text(groups));
        } else if (const auto pods = child(source, "pods")) {
            jobs.push_back(pods_text(pods));
        } else if (const auto generate = child(source, "generate")) {
            jobs.push_back(generated_text(generate));
        } else if (const auto trace = child(source, "trace")) {
            jobs.push_back(trace_text(trace));
        } else if (const auto within = child(child(source, "document"), "spec")) {
            for (const YAML::Node& inner : child(within, "sources")) {
                sources.push_back(inner);
            }
        }
    }
    constexpr std::size_t shown_max = 3;
    if (jobs.size() > shown_max) {
        const std::size_t more = jobs.size() - shown_max + 1;
        jobs.resize(shown_max - 1);
        jobs.push_back(counted(more, "other source"));
    }
    const std::string all = joined(jobs);
    return all.empty() || background.empty() ? all : all + " " + background;
}

/// The names of listed plug-ins: `name`, or `{name: ..., ...}`.
std::vector<std::string> names_of(const YAML::Node& plugins) {
    std::vector<std::string> names;
    if (plugins && plugins.IsSequence()) {
        for (const YAML::Node& plugin : plugins) {
            std::string name = plugin.IsScalar() ? plugin.Scalar() : text_of(child(plugin, "name"));
            const std::string weight = text_of(child(plugin, "weight"));
            if (!weight.empty() && weight != "1") {
                name += fmt::format(" (weight {})", weight);
            }
            names.push_back(std::move(name));
        }
    } else if (plugins && plugins.IsScalar()) {
        names.push_back(plugins.Scalar());
    }
    return names;
}

/// What is known of a scheduler that admits jobs; nothing without one.
SchedulerWords words_of(const YAML::Node& scheduler) {
    for (const SchedulerTables& one : scheduler_tables()) {
        if (const YAML::Node settings = child(scheduler, one.key)) {
            return one.in_words(settings);
        }
    }
    return {};
}

/// The plug-ins that choose servers in a profile.
std::string placing_policy(const YAML::Node& profile) {
    const YAML::Node listed = child(profile, "score");
    const std::vector<std::string> score = names_of(listed);
    const std::string solver = text_of(child(child(profile, "placementGroup"), "solver"));
    if (!score.empty()) {
        return joined(score);
    }
    if (!solver.empty()) {
        return fmt::format("the {} solver", solver);
    }
    // Without a list, the default score applies; an empty list takes the first server that fits.
    return listed ? "first-fit" : "least-allocated";
}

std::string policy_text(const YAML::Node& scheduler) {
    const YAML::Node profile = child(scheduler, "profile");
    const SchedulerWords words = words_of(scheduler);
    std::vector<std::string> parts;
    if (!words.admits.empty()) {
        parts.push_back(words.admits);
    }
    if (words.places.empty()) {
        parts.push_back("placed by " + placing_policy(profile));
    } else if (words.places_all) {
        parts.push_back(words.places);
    } else {
        parts.push_back(
            fmt::format("{} and elsewhere by {}", words.places, placing_policy(profile)));
    }
    const std::vector<std::string> order = names_of(child(profile, "queueSort"));
    const bool retried = text_of(child(scheduler, "retry")) != "never";
    if (retried && !words.places_all) {
        parts.push_back(fmt::format("in the order {}", order.empty() ? "fifo" : order.front()));
    }
    if (const auto devices = names_of(child(profile, "reserve")); !devices.empty()) {
        parts.push_back("devices by " + joined(devices));
    }
    std::vector<std::string> rules = names_of(child(profile, "preFilter"));
    const std::vector<std::string> after = names_of(child(profile, "postFilter"));
    rules.insert(rules.end(), after.begin(), after.end());
    if (!rules.empty()) {
        parts.push_back("with " + joined(rules));
    }
    return joined(parts, ", ") + (retried ? "" : "; what does not fit is dropped");
}

/// Gathers the levels of all hard constraints at any depth of the workload, without duplicates.
void add_hard_levels(const YAML::Node& node, std::vector<std::string>& levels) {
    if (node.IsMap()) {
        const std::string level = text_of(child(node, "level"));
        const bool hard = !level.empty() && text_of(child(node, "soft")) == "false";
        if (hard && std::ranges::find(levels, level) == levels.end()) {
            levels.push_back(level);
        }
        for (const auto& entry : node) {
            add_hard_levels(entry.second, levels);
        }
    } else if (node.IsSequence()) {
        for (const YAML::Node& entry : node) {
            add_hard_levels(entry, levels);
        }
    }
}

}  // namespace

Setup read_setup(const std::string& configuration) {
    Setup setup;
    if (configuration.size() > configuration_bytes_max) {
        return setup;
    }
    try {
        const YAML::Node spec = child(YAML::Load(configuration), "spec");
        setup.workload = workload_text(child(spec, "workload"));
        setup.policy = policy_text(child(spec, "scheduler"));
        if (const YAML::Node workload = child(spec, "workload")) {
            add_hard_levels(workload, setup.hard_levels);
        }
    } catch (const YAML::Exception&) {
        return {};  // the page still shows the text as it is
    }
    return setup;
}

std::string cluster_in_words(const RunDirectory& run) {
    if (!run.cluster) {
        return {};
    }
    const Cluster& cluster = *run.cluster;
    std::string out = counted(cluster.servers, "server");
    std::vector<std::string> levels;
    for (std::size_t level = cluster.levels.size(); level-- > 0;) {
        if (cluster.domains[level].size() > 1) {
            levels.push_back(counted(cluster.domains[level].size(), cluster.levels[level]));
        }
    }
    if (!levels.empty()) {
        out += " in " + joined(levels);
    }
    const std::size_t paid = paid_resource(cluster.resources);
    if (paid < cluster.resources.size()) {
        const double amount = std::accumulate(
            cluster.cells.begin(), cluster.cells.end(), 0.0, [&](double sum, const Cell& cell) {
                return sum + cell.capacity[paid];
            });
        const std::string& name = cluster.resources[paid];
        const bool gpus = name.ends_with("gpu");
        if (amount > 0 && (gpus || name == "cpu")) {
            out += " with " + counted(static_cast<std::size_t>(amount), gpus ? "GPU" : "CPU");
        }
    }
    return out;
}

std::string question(const RunDirectory& run) {
    std::string out = run.setup.workload.empty() ? "What happens" : run.setup.workload;
    out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
    const std::string cluster = cluster_in_words(run);
    if (!cluster.empty()) {
        out += ", on " + cluster;
    }
    if (!run.setup.policy.empty()) {
        out += ", " + run.setup.policy;
    }
    if (run.replications > 1) {
        out +=
            fmt::format(". {}", counted(static_cast<std::size_t>(run.replications), "replication"));
    }
    return out + ".";
}

}  // namespace berth::report
