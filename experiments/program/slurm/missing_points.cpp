#include "experiments/program/slurm/missing_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <system_error>

#include "core/support/file_reader.hpp"
#include "experiments/program/slurm/job_script.hpp"

namespace berth::experiments {
namespace {

constexpr std::size_t tasks_shown_max = 10;
constexpr std::size_t points_shown_max = 8;
constexpr std::size_t lines_shown_max = 5;

std::string state_of(const SlurmTasks& tasks, std::size_t task) {
    const auto found = tasks.states.find(task);
    return found == tasks.states.end() ? "ended" : found->second;
}

std::deque<std::string> last_lines(const std::filesystem::path& file) {
    std::deque<std::string> lines;
    std::istringstream in(core::text_of_file_if_any(file).value_or(""));
    for (std::string line; std::getline(in, line);) {
        if (lines.size() == lines_shown_max) {
            lines.pop_front();
        }
        lines.push_back(line);
    }
    return lines;
}

std::string list_of(const std::vector<std::size_t>& points) {
    const std::size_t shown = std::min(points.size(), points_shown_max);
    return fmt::format(
        "point{} {}{}",
        points.size() == 1 ? "" : "s",
        fmt::join(std::span(points).first(shown), ", "),
        shown < points.size() ? fmt::format(" and {} more", points.size() - shown) : "");
}

}  // namespace

std::string ends_of_tasks(const SlurmTasks& tasks, const std::vector<std::size_t>& shards) {
    std::map<std::string, std::size_t> counts;
    for (const std::size_t shard : shards) {
        ++counts[state_of(tasks, shard)];
    }
    std::string out;
    for (const auto& [state, count] : counts) {
        out += fmt::format("{}{} {}", out.empty() ? "" : "; ", count, state);
    }
    return out;
}

std::string failed_tasks(const SlurmJob& job,
                         const SubmittedArray& array,
                         const SlurmTasks& tasks,
                         const MissingPoints& missing) {
    const std::vector<std::size_t> shards = missing.shards_with_some(array.shards);
    std::string out;
    for (std::size_t i = 0; i < std::min(shards.size(), tasks_shown_max); ++i) {
        const std::filesystem::path output = output_path(job, array.job, shards[i]);
        const std::deque<std::string> lines = last_lines(output);
        out += fmt::format("  task {}, {}: {}; {} {}\n",
                           shards[i],
                           list_of(missing.of_shard(shards[i], array.shards)),
                           state_of(tasks, shards[i]),
                           output.string(),
                           lines.empty() ? "says nothing" : "ends:");
        for (const std::string& line : lines) {
            out += "    " + line + "\n";
        }
    }
    if (shards.size() > tasks_shown_max) {
        out += fmt::format("  and {} tasks more\n", shards.size() - tasks_shown_max);
    }
    return out;
}

MissingPoints::MissingPoints(const SlurmJob& job) : job_(job), points_(job.points) {
    std::iota(points_.begin(), points_.end(), std::size_t{0});
    if (job.only) {
        points_ = {*job.only};
    }
    refresh();
}

void MissingPoints::refresh() {
    const auto begin = std::chrono::steady_clock::now();
    // Opening the folder makes NFS ask the server for its content. Without that, a point that was
    // missing a moment ago may seem missing for another minute.
    std::error_code ignored;
    const std::filesystem::directory_iterator folder(job_.directory / "points", ignored);
    std::erase_if(points_, [this](std::size_t point) { return job_.is_done(point); });
    cost_ = std::chrono::steady_clock::now() - begin;
}

std::vector<std::size_t> MissingPoints::of_shard(std::size_t shard, std::size_t shards) const {
    std::vector<std::size_t> out;
    std::ranges::copy_if(points_, std::back_inserter(out), [=](std::size_t point) {
        return point % shards == shard;
    });
    return out;
}

std::vector<std::size_t> MissingPoints::shards_with_some(std::size_t shards) const {
    std::vector<bool> has_some(shards);
    for (const std::size_t point : points_) {
        has_some[point % shards] = true;
    }
    std::vector<std::size_t> out;
    for (std::size_t shard = 0; shard < shards; ++shard) {
        if (has_some[shard]) {
            out.push_back(shard);
        }
    }
    return out;
}

}  // namespace berth::experiments
