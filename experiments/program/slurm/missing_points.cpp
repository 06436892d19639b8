#include "experiments/program/slurm/missing_points.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <system_error>

namespace berth::experiments {

MissingPoints::MissingPoints(const SlurmJob& job) : job_(job), points_(job.points) {
    std::iota(points_.begin(), points_.end(), std::size_t{0});
    refresh();
}

void MissingPoints::refresh() {
    const auto begin = std::chrono::steady_clock::now();
    // Opening the folder has NFS ask the server what is in it: without that, a point that was not
    // there a moment ago may stay so for a minute.
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
