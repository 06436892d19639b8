#include "workloads/trace/field_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "core/support/source.hpp"
#include "core/support/text.hpp"
#include "workloads/trace/job_fields.hpp"

namespace berth::workloads {
namespace {

using OtherName = std::pair<std::string_view, std::string_view>;

/// Other names of fields in files, in lower case with underscores. If a file has several names of
/// one field, the one that is listed first here is read. A name whose unit differs from file to
/// file, such as `mem`, is not in the list.
constexpr std::array other_names{OtherName{"job_id", "name"},
                                 OtherName{"job_name", "name"},
                                 OtherName{"jobid", "name"},
                                 OtherName{"job", "name"},
                                 OtherName{"id_job", "name"},
                                 OtherName{"id", "name"},
                                 OtherName{"user_id", "user"},
                                 OtherName{"username", "user"},
                                 OtherName{"partition", "queue"},
                                 OtherName{"vc", "queue"},
                                 OtherName{"namespace", "queue"},
                                 OtherName{"replicas", "members"},
                                 OtherName{"num_workers", "members"},
                                 OtherName{"worker_num", "members"},
                                 OtherName{"num_replicas", "members"},
                                 OtherName{"cpus", "cpu"},
                                 OtherName{"num_cpus", "cpu"},
                                 OtherName{"cpu_request", "cpu"},
                                 OtherName{"demand_cpu", "cpu"},
                                 OtherName{"gpu", "gpus"},
                                 OtherName{"num_gpus", "gpus"},
                                 OtherName{"num_gpu", "gpus"},
                                 OtherName{"gpu_num", "gpus"},
                                 OtherName{"gpu_request", "gpus"},
                                 OtherName{"gpu_count", "gpus"},
                                 OtherName{"nvidia_com_gpu", "gpus"},
                                 OtherName{"amd_com_gpu", "gpus"},
                                 OtherName{"nvidia_gpu", "gpus"},
                                 OtherName{"demand_nvidia_com_gpu", "gpus"},
                                 OtherName{"demand_amd_com_gpu", "gpus"},
                                 OtherName{"gpu_model", "gpu_models"},
                                 OtherName{"gpu_type", "gpu_models"},
                                 OtherName{"submit_time", "submit"},
                                 OtherName{"time_submit", "submit"},
                                 OtherName{"submitted_time", "submit"},
                                 OtherName{"submit_timestamp", "submit"},
                                 OtherName{"submission_time", "submit"},
                                 OtherName{"submitted", "submit"},
                                 OtherName{"submitted_at", "submit"},
                                 OtherName{"submit_s", "submit"},
                                 OtherName{"arrival_time", "submit"},
                                 OtherName{"arrival", "submit"},
                                 OtherName{"created_at", "submit"},
                                 OtherName{"creation_time", "submit"},
                                 OtherName{"start_time", "start"},
                                 OtherName{"time_start", "start"},
                                 OtherName{"started_at", "start"},
                                 OtherName{"start_s", "start"},
                                 OtherName{"end_time", "finish"},
                                 OtherName{"time_end", "finish"},
                                 OtherName{"finished_time", "finish"},
                                 OtherName{"end", "finish"},
                                 OtherName{"finish_time", "finish"},
                                 OtherName{"finished_at", "finish"},
                                 OtherName{"finish_s", "finish"},
                                 OtherName{"completion_time", "finish"},
                                 OtherName{"duration", "run_time"},
                                 OtherName{"duration_s", "run_time"},
                                 OtherName{"duration_sec", "run_time"},
                                 OtherName{"duration_seconds", "run_time"},
                                 OtherName{"runtime", "run_time"},
                                 OtherName{"runtime_s", "run_time"},
                                 OtherName{"run_time_s", "run_time"},
                                 OtherName{"elapsed", "run_time"},
                                 OtherName{"execution_time", "run_time"},
                                 OtherName{"lifetime", "run_time"},
                                 OtherName{"timelimit", "time_limit"},
                                 OtherName{"walltime", "time_limit"},
                                 OtherName{"requested_time", "time_limit"},
                                 OtherName{"estimate", "time_limit"},
                                 OtherName{"estimate_s", "time_limit"},
                                 OtherName{"time_limit_s", "time_limit"},
                                 OtherName{"state", "status"},
                                 OtherName{"dependency", "after"},
                                 OtherName{"dependencies", "after"}};

/// Names that mean a field in another unit, or whose meaning is not certain.
constexpr std::array doubtful_names{OtherName{"mem", "memory"},
                                    OtherName{"mem_gb", "memory"},
                                    OtherName{"memory_gb", "memory"},
                                    OtherName{"memory_gib", "memory"},
                                    OtherName{"memory_mb", "memory_mib"},
                                    OtherName{"mem_mb", "memory_mib"},
                                    OtherName{"nodes", "members"},
                                    OtherName{"num_nodes", "members"},
                                    OtherName{"node_num", "members"},
                                    OtherName{"size", "members"},
                                    OtherName{"duration_ms", "run_time"},
                                    OtherName{"duration_h", "run_time"},
                                    OtherName{"duration_min", "run_time"},
                                    OtherName{"runtime_ms", "run_time"},
                                    OtherName{"time", "submit"},
                                    OtherName{"timestamp", "submit"},
                                    OtherName{"team", "queue"},
                                    OtherName{"quota", "queue"},
                                    OtherName{"project", "queue"}};

bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

/// Whether a word begins at `at` in names such as `SubmitTime`, `GPUCount` and `numGPUs`: at a
/// capital that follows a small letter, or at one that follows a capital and precedes two small
/// letters.
bool begins_word(std::string_view name, std::size_t at) {
    if (at == 0 || !is_upper(name[at])) {
        return false;
    }
    return is_lower(name[at - 1]) || (is_upper(name[at - 1]) && at + 2 < name.size() &&
                                      is_lower(name[at + 1]) && is_lower(name[at + 2]));
}

/// Writes `Submit Time`, `SubmitTime` and `submit-time` as `submit_time`, and `Duration (s)` as
/// `duration_s`.
std::string plain(std::string_view name) {
    std::string out;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const char c = name[at];
        const bool parts = std::string_view(" -./()[]").find(c) != std::string_view::npos;
        if ((parts || begins_word(name, at)) && !out.empty() && !out.ends_with('_')) {
            out += '_';
        }
        if (!parts) {
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    while (out.ends_with('_')) {
        out.pop_back();
    }
    return out;
}

std::optional<std::size_t> field_of(std::string_view name) {
    const auto names = JobFields::names();
    const auto at = std::ranges::find(names, name);
    return at == names.end() ? std::nullopt
                             : std::optional(static_cast<std::size_t>(at - names.begin()));
}

class Finder {
public:
    Finder(const std::map<std::string, std::string>& stated,
           const std::vector<std::string>& header,
           const std::string& file)
        : stated_(stated), header_(header) {
        out_.names = field_columns(stated, file);
        give_once();
        for (const std::string& name : header) {
            const bool is_read = std::ranges::any_of(
                out_.names, [&](const auto& one) { return one.second == name; });
            if (!is_read) {
                unread_.push_back(name);
            }
        }
    }

    FieldColumns find() {
        for (const std::string_view name : JobFields::names()) {
            recognise(name, *field_of(name));
        }
        for (const auto& [name, field] : other_names) {
            recognise(name, *field_of(field));
        }
        recognise_plain_times();
        find_unit_of_limit();
        if (!recognised_.empty()) {
            out_.notes.push_back(
                fmt::format("{}; columns: {{FIELD: COLUMN}} changes this{}",
                            core::join(recognised_, ", "),
                            lengths_ ? "; numbers without a unit are seconds" : ""));
        }
        if (out_.limit_in_minutes) {
            out_.notes.push_back(fmt::format(
                "the column '{}' is a time limit in minutes where it has no unit, as in Slurm's "
                "database",
                out_.names[*field_of("time_limit")]));
        }
        if (is_of_squeue(header_)) {
            out_.notes.emplace_back(
                "it is what squeue prints: jobs that run end with their limit, and jobs that wait "
                "start when that is planned; format: sacct reads what squeue --json or sacct "
                "--parsable2 --allocations prints");
        }
        for (const std::string& name : unread_) {
            doubt(name);
        }
        return std::move(out_);
    }

private:
    [[nodiscard]] bool has(std::size_t field) const {
        const auto name = out_.names.find(field);
        return name != out_.names.end() &&
               std::ranges::find(header_, name->second) != header_.end();
    }

    /// A column that is stated for one field is not also read as the field that it is named after.
    void give_once() {
        for (const auto& [field, column] : stated_) {
            const auto other = field_of(column);
            const bool taken = other && field != column && !stated_.contains(column) &&
                               std::ranges::find(header_, column) != header_.end();
            if (taken) {
                out_.names.erase(*other);
                out_.notes.push_back(
                    fmt::format("the column '{0}' is read as {1} alone, and not as {0}: columns: "
                                "{{{1}: {0}, {0}: {0}}} reads it as both",
                                column,
                                field));
            }
        }
    }

    /// Limits are in minutes in Slurm's database; berth and most other programs count seconds.
    void find_unit_of_limit() {
        const std::size_t field = *field_of("time_limit");
        if (!has(field)) {
            return;
        }
        const auto is_of_database = [](const std::string& name) {
            return name == "id_job" || name == "time_submit" || name == "time_eligible";
        };
        const std::string name = plain(out_.names[field]);
        out_.limit_in_minutes = (name == "timelimit" && !stated_.contains("time_limit")) ||
                                ((name == "timelimit" || name == "time_limit") &&
                                 std::ranges::any_of(header_, is_of_database));
    }

    void recognise(std::string_view other, std::size_t field) {
        const auto at = std::ranges::find(unread_, other, &plain);
        const std::string name(JobFields::names()[field]);
        if (at == unread_.end() || has(field) || stated_.contains(name)) {
            return;
        }
        lengths_ = lengths_ || name == "run_time" || (name == "time_limit" && other != "timelimit");
        recognised_.push_back(fmt::format("the column '{}' is read as {}", *at, name));
        out_.names[field] = *at;
        unread_.erase(at);
    }

    /// `timestamp` is the submit time if no other column holds a point in time. `time` may as well
    /// be the run time, so it is the submit time only if another column holds the run time.
    void recognise_plain_times() {
        for (const char* field : {"submit", "start", "finish"}) {
            if (has(*field_of(field))) {
                return;
            }
        }
        recognise("timestamp", *field_of("submit"));
        if (has(*field_of("run_time"))) {
            recognise("time", *field_of("submit"));
        }
    }

    void doubt(const std::string& name) {
        const std::string field = meant_by(plain(name));
        const bool is_instant = field == "submit" || field == "start" || field == "finish";
        if (field.empty() || (is_instant && names_a_length(name)) || has(*field_of(field)) ||
            stated_.contains(field)) {
            return;
        }
        out_.notes.push_back(
            fmt::format("the column '{}' is not read: columns: {{{}: {}}} reads it as {}{}",
                        name,
                        field,
                        name,
                        field,
                        how_read(field)));
    }

    /// How numbers of a field count, where a name may suggest another unit.
    static std::string_view how_read(std::string_view field) {
        return field == "memory"       ? ", in bytes or such as 64Gi"
               : field == "memory_mib" ? ", in mebibytes"
               : field == "run_time"   ? ", in seconds or such as 1h30m"
               : field == "members"    ? ", each of which asks for the amounts of its row"
                                       : "";
    }

    static std::string meant_by(const std::string& name) {
        std::vector<std::string> known;
        for (const auto& [doubtful, field] : doubtful_names) {
            if (doubtful == name) {
                return std::string(field);
            }
        }
        for (const std::string_view field : JobFields::names()) {
            known.emplace_back(field);
        }
        for (const auto& [other, field] : other_names) {
            known.emplace_back(other);
        }
        const std::string near = core::nearest(name, known);
        const auto other = std::ranges::find(other_names, near, &OtherName::first);
        return other != other_names.end() ? std::string(other->second) : near;
    }

    const std::map<std::string, std::string>& stated_;
    const std::vector<std::string>& header_;
    FieldColumns out_;
    std::vector<std::string> unread_;  ///< Names in the file that no field uses.
    std::vector<std::string> recognised_;
    bool lengths_ = false;  ///< Whether a length of time is among the recognised fields.
};

}  // namespace

bool names_a_length(std::string_view name) {
    const std::string words = plain(name);
    return std::ranges::any_of(
        std::array<std::string_view, 12>{"wall",
                                         "run",
                                         "elapsed",
                                         "dura",
                                         "exec",
                                         "limit",
                                         "cpu",
                                         "wait",
                                         "service",
                                         "length",
                                         "lifetime",
                                         "estimate"},
        [&](std::string_view word) { return words.find(word) != std::string::npos; });
}

bool is_of_squeue(const std::vector<std::string>& names) {
    const auto has = [&](const char* name) {
        return std::ranges::find(names, name) != names.end();
    };
    return (has("JOBID") && (has("STATE") || has("ST") || has("TIME_LEFT"))) ||
           (has("job_state") && has("end_time"));
}

FieldColumns find_field_columns(const std::map<std::string, std::string>& stated,
                                const std::vector<std::string>& header,
                                const std::string& file) {
    return Finder(stated, header, file).find();
}

}  // namespace berth::workloads
