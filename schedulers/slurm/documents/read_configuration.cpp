#include "schedulers/slurm/documents/read_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/support/parse_number.hpp"

namespace berth::experiments {
namespace {

using core::slurm::Configuration;

/// Keys that are known and not followed, each with what it would do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> not_followed{{
    {"CompleteWait", "both loops would wait for all completing jobs"},
    {"PreemptExemptTime", "young jobs would be safe from preemption"},
    {"PriorityUsageResetPeriod", "usage would become 0 at the end of each period"},
    {"PriorityWeightTRES", "asked resources would add to priorities"},
    {"DefMemPerGPU", "memory would follow from GPUs"},
    {"DefCpuPerGPU", "CPUs would follow from GPUs"},
    {"TopologyPlugin", "nodes would be chosen by switches"},
    {"DownNodes", "its nodes would start no job"},
    {"MaxArraySize", "sbatch would refuse larger arrays"},
    {"MaxMemPerNode", "sbatch would refuse jobs of more memory"},
    {"MaxMemPerCPU", "jobs of more memory would get more CPUs"},
    {"PriorityFlags", "priorities would be computed otherwise"},
    {"KillWait", "jobs that ignore their first signal would run longer"},
    {"PriorityWeightAssoc", "priorities of associations would add to those of jobs"},
}};

/// Parameters of SchedulerParameters that are known and not followed.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> parameters_not_followed{{
    {"bf_busy_nodes", "backfill would prefer nodes in use"},
    {"pack_serial_at_end", "jobs of one CPU would go to the end of the list of nodes"},
    {"bf_max_job_assoc", "backfill would look at fewer jobs of an association"},
    {"bf_max_job_user_part", "backfill would look at fewer jobs of a user in a partition"},
    {"bf_min_age_reserve", "backfill would not plan young jobs"},
    {"bf_max_time", "a pass of backfill would end after that time"},
    {"partition_job_depth", "the main loop would try fewer jobs of a partition"},
    {"assoc_limit_stop", "jobs that limits hold back would close their partition"},
    {"preempt_youngest_first", "young jobs would be evicted first"},
}};

/// The microseconds between passes of the main loop that nobody notices: the default is 2.
constexpr std::int64_t min_interval_us = 1000;

/// OverTimeLimit=UNLIMITED is so long.
constexpr std::int64_t minutes_of_a_year = 365 * 24 * 60;

std::int64_t minutes_or(const SlurmSetting& setting, std::int64_t unlimited) {
    return setting.minutes().value_or(unlimited);
}

void read_parameter(const SlurmSetting& parameter, SlurmConfiguration& read) {
    Configuration& conf = read.configuration;
    if (parameter.is("bf_resolution")) {
        conf.bf_resolution = parameter.whole(1);
    } else if (parameter.is("bf_window")) {
        conf.bf_window = parameter.whole(1) * 60;
    } else if (parameter.is("bf_max_job_test")) {
        conf.bf_max_job_test = parameter.whole(1);
    } else if (parameter.is("bf_node_space_size")) {
        conf.bf_node_space_size = parameter.whole(2);
    } else if (parameter.is("bf_max_job_user")) {
        conf.bf_max_job_user = parameter.whole(0);
    } else if (parameter.is("bf_max_job_part")) {
        conf.bf_max_job_part = parameter.whole(0);
    } else if (parameter.is("bf_max_job_start")) {
        conf.bf_max_job_start = parameter.whole(0);
    } else if (parameter.is("bf_max_job_array_resv")) {
        conf.bf_max_job_array_resv = parameter.whole(0);
    } else if (parameter.is("bf_min_prio_reserve")) {
        conf.bf_min_prio_reserve = parameter.whole(0);
    } else if (parameter.is("bf_window_scale")) {
        conf.bf_window_scale = parameter.whole(0);
    } else if (parameter.is("bf_licenses")) {
        conf.bf_licenses = true;
    } else if (parameter.is("bf_running_job_reserve")) {
        conf.bf_running_job_reserve = true;
    } else if (parameter.is("default_queue_depth")) {
        conf.default_queue_depth = parameter.whole(0);
    } else if (parameter.is("batch_sched_delay")) {
        read.clocks.batch_sched_delay_s = parameter.whole(0);
    } else if (parameter.is("sched_interval")) {
        read.clocks.sched_interval_s = parameter.whole(1);
    } else if (parameter.is("bf_interval")) {
        constexpr std::int64_t longest = 10'800;  // Slurm takes no longer one
        read.clocks.bf_interval_s = parameter.whole(1, longest);
    } else if (parameter.is("defer")) {
        read.clocks.defer = true;
    } else if (parameter.is("sched_min_interval") && parameter.whole(0) > min_interval_us) {
        read.not_followed.push_back(fmt::format(
            "{}: SchedulerParameters {}: passes of the main loop would be that far apart",
            parameter.place,
            parameter.key));
    } else if (!parameter.is("sched_min_interval") && !parameter.is("bf_continue") &&
               !parameter.is("bf_one_resv_per_job") && !parameter.is("bf_yield_interval") &&
               !parameter.is("bf_yield_sleep")) {
        const auto* const known = std::ranges::find_if(
            parameters_not_followed, [&](const auto& each) { return parameter.is(each.first); });
        const bool is_known = known != parameters_not_followed.end();
        read.not_followed.push_back(
            fmt::format("{}: SchedulerParameters {}: {}",
                        parameter.place,
                        parameter.key,
                        is_known ? known->second : "berth does not know it"));
    }
}

void read_parameters(const SlurmSetting& setting, SlurmConfiguration& read) {
    for (const std::string& item : setting.items()) {
        const std::size_t equals = std::min(item.find('='), item.size());
        SlurmSetting parameter{setting.place, item.substr(0, equals), ""};
        if (equals < item.size()) {
            parameter.value = item.substr(equals + 1);
        }
        read_parameter(parameter, read);
    }
}

/// Kinds of what is given out, which berth knows, and those of which it does something else.
constexpr std::array<std::string_view, 7> select_types{"CR_Core",
                                                       "CR_Core_Memory",
                                                       "CR_Memory",
                                                       "CR_LLN",
                                                       "CR_CPU",
                                                       "CR_CPU_Memory",
                                                       "CR_CORE_DEFAULT_DIST_BLOCK"};
constexpr std::array<std::string_view, 6> select_types_not_followed{"CR_Socket",
                                                                    "CR_Socket_Memory",
                                                                    "CR_ONE_TASK_PER_CORE",
                                                                    "CR_Pack_Nodes",
                                                                    "LL_SHARED_GRES",
                                                                    "MULTIPLE_SHARING_GRES_PJ"};

void read_select_types(const SlurmSetting& setting,
                       Configuration& conf,
                       std::vector<std::string>& not_followed) {
    conf.counts_memory = false;
    for (const std::string& item : setting.items()) {
        conf.counts_memory = conf.counts_memory || same_word(item, "CR_Core_Memory") ||
                             same_word(item, "CR_CPU_Memory") || same_word(item, "CR_Memory") ||
                             same_word(item, "CR_Socket_Memory");
        conf.least_loaded = conf.least_loaded || same_word(item, "CR_LLN");
        const auto is_item = [&](std::string_view word) { return same_word(item, word); };
        if (std::ranges::any_of(select_types_not_followed, is_item)) {
            not_followed.push_back(fmt::format(
                "{}: SelectTypeParameters {}: berth gives out cores", setting.place, item));
        } else if (std::ranges::none_of(select_types, is_item)) {
            setting.fail("a list such as CR_Core_Memory,CR_LLN");
        }
    }
}

void read_licenses(const SlurmSetting& setting, SlurmConfiguration& read) {
    for (const std::string& item : setting.items()) {
        const std::size_t colon = std::min(item.find(':'), item.size());
        SlurmSetting count{
            setting.place, setting.key, colon < item.size() ? item.substr(colon + 1) : "1"};
        read.licenses[item.substr(0, colon)] = count.whole(0);
    }
}

/// What AccountingStorageEnforce names; `limits`, `qos` and others ask for associations too.
void read_enforced(const SlurmSetting& setting, Configuration& conf) {
    conf.associations_matter = !same_word(setting.value, "none") && !setting.value.empty();
    for (const std::string& item : setting.items()) {
        conf.qos_matters = conf.qos_matters || same_word(item, "qos") || same_word(item, "all");
    }
}

bool read_priority(const SlurmSetting& setting, SlurmConfiguration& read) {
    Configuration& conf = read.configuration;
    if (setting.is("PriorityType")) {
        if (setting.value != "priority/basic" && setting.value != "priority/multifactor") {
            setting.fail("priority/basic or priority/multifactor");
        }
        conf.priority = setting.value == "priority/basic" ? core::slurm::PriorityType::basic
                                                          : core::slurm::PriorityType::multifactor;
    } else if (setting.is("PriorityWeightAge")) {
        conf.weight_age = setting.whole(0);
    } else if (setting.is("PriorityWeightFairshare")) {
        conf.weight_fair_share = setting.whole(0);
    } else if (setting.is("PriorityWeightJobSize")) {
        conf.weight_job_size = setting.whole(0);
    } else if (setting.is("PriorityWeightPartition")) {
        conf.weight_partition = setting.whole(0);
    } else if (setting.is("PriorityWeightQOS")) {
        conf.weight_qos = setting.whole(0);
    } else if (setting.is("PriorityMaxAge")) {
        conf.max_age = minutes_or(setting, core::slurm::no_limit / 60) * 60;
    } else if (setting.is("PriorityFavorSmall")) {
        conf.favor_small = setting.flag();
    } else if (setting.is("PriorityDecayHalfLife")) {
        conf.decay_half_life = minutes_or(setting, 0) * 60;
    } else if (setting.is("PriorityCalcPeriod")) {
        read.clocks.priority_period_min = std::max<std::int64_t>(1, minutes_or(setting, 5));
    } else {
        return false;
    }
    return true;
}

void read_preempt_type(const SlurmSetting& setting, Configuration& conf) {
    if (setting.value == "preempt/none") {
        conf.preempt = core::slurm::PreemptType::none;
    } else if (setting.value == "preempt/qos") {
        conf.preempt = core::slurm::PreemptType::qos;
    } else if (setting.value == "preempt/partition_prio") {
        conf.preempt = core::slurm::PreemptType::partition;
    } else {
        setting.fail("preempt/none, preempt/qos or preempt/partition_prio");
    }
}

void read_other(const SlurmSetting& setting, SlurmConfiguration& read) {
    const auto* const known = std::ranges::find_if(
        not_followed, [&](const auto& each) { return setting.is(each.first); });
    if (known != not_followed.end()) {
        read.not_followed.push_back(
            fmt::format("{}: {}: {}", setting.place, setting.key, known->second));
    }
}

}  // namespace

std::optional<SlurmVersion> version_in(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
    if (text.size() < 5 || text[2] != '.') {
        return std::nullopt;
    }
    const auto year = core::parse_number<int>(text.substr(0, 2));
    const auto month = core::parse_number<int>(text.substr(3, 2));
    const bool is_version = year && month &&
                            text.find_first_not_of("0123456789.") == std::string_view::npos &&
                            SlurmVersion{20, 11} <= SlurmVersion{*year, *month} &&
                            SlurmVersion{*year, *month} <= SlurmVersion{26, 5};
    return is_version ? std::optional(SlurmVersion{*year, *month}) : std::nullopt;
}

std::vector<SlurmSetting> settings_of_conf(const std::vector<std::vector<SlurmSetting>>& lines) {
    std::vector<SlurmSetting> settings;
    for (const std::vector<SlurmSetting>& line : lines) {
        if (!line[0].is("NodeName") && !line[0].is("PartitionName")) {
            settings.insert(settings.end(), line.begin(), line.end());
        }
    }
    return settings;
}

SlurmConfiguration read_configuration(const std::vector<SlurmSetting>& settings,
                                      SlurmVersion version) {
    constexpr SlurmVersion first_with_multifactor{23, 11};
    constexpr SlurmVersion first_with_longer_reservations{26, 5};
    SlurmConfiguration read;
    Configuration& conf = read.configuration;
    conf.priority = version < first_with_multifactor ? core::slurm::PriorityType::basic
                                                     : core::slurm::PriorityType::multifactor;
    conf.ends_round_up = version >= first_with_longer_reservations;
    for (const SlurmSetting& setting : settings) {
        if (setting.is("SchedulerParameters")) {
            read_parameters(setting, read);
        } else if (setting.is("SchedulerType")) {
            if (setting.value != "sched/backfill" && setting.value != "sched/builtin") {
                setting.fail("sched/backfill or sched/builtin");
            }
            conf.backfill = setting.value == "sched/backfill";
        } else if (setting.is("SelectType")) {
            if (setting.value != "select/cons_tres") {
                setting.fail("select/cons_tres: berth chooses nodes as it does");
            }
        } else if (setting.is("SelectTypeParameters")) {
            read_select_types(setting, conf, read.not_followed);
        } else if (setting.is("DefMemPerCPU")) {
            conf.memory_per_cpu_mib = setting.whole(0);
        } else if (setting.is("DefMemPerNode")) {
            conf.memory_per_node_mib = setting.whole(0);
        } else if (setting.is("Licenses")) {
            read_licenses(setting, read);
        } else if (setting.is("OverTimeLimit")) {
            read.clocks.over_time_min = minutes_or(setting, minutes_of_a_year);
        } else if (setting.is("PreemptType")) {
            read_preempt_type(setting, conf);
        } else if (setting.is("EnforcePartLimits")) {
            if (!same_word(setting.value, "NO") && !same_word(setting.value, "YES") &&
                !same_word(setting.value, "ANY") && !same_word(setting.value, "ALL")) {
                setting.fail("ALL, ANY, YES or NO");
            }
            conf.limits_refuse = !same_word(setting.value, "NO");
        } else if (setting.is("AccountingStorageEnforce")) {
            read_enforced(setting, conf);
        } else if (setting.is("PreemptMode")) {
            conf.preempt_mode = setting.preempt_mode();
        } else if (!read_priority(setting, read)) {
            read_other(setting, read);
        }
    }
    return read;
}

}  // namespace berth::experiments
