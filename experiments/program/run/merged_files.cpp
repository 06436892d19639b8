#include "experiments/program/run/merged_files.hpp"

#include <algorithm>

namespace berth::experiments {

MergedFiles::MergedFiles(RunFiles& run, const std::vector<File>& files) : run_(run) {
    for (const File& file : files) {
        files_.push_back(run.open(file.name));
        files_.back()->append(file.header);
    }
}

InOrder::MakeFile MergedFiles::unnamed_files() const {
    if (!run_.spill_place()) {
        return nullptr;
    }
    return [this] { return std::make_unique<UnnamedFile>(*run_.spill_place()); };
}

void MergedFiles::append(std::uint32_t replication, std::size_t file, std::string& rows) {
    if (rows.empty()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (replication == front_) {
        files_[file]->append(rows);
    } else {
        Pending& pending = pending_[replication];
        pending.rows.resize(files_.size());
        pending.rows[file] += rows;
        pending.bytes += rows.size();
        constexpr std::size_t bytes_max = std::size_t{16} << 20;
        if (pending.bytes > bytes_max && run_.spill_place()) {
            spill(pending);
        }
    }
    rows.clear();
}

void MergedFiles::spill(Pending& pending) const {
    if (pending.disk == nullptr) {
        pending.disk = std::make_unique<UnnamedFile>(*run_.spill_place());
    }
    for (std::size_t file = 0; file < pending.rows.size(); ++file) {
        std::string& rows = pending.rows[file];
        if (!rows.empty()) {
            pending.on_disk.push_back({file, pending.disk->append(rows), rows.size()});
            rows.clear();
        }
    }
    pending.bytes = 0;
}

void MergedFiles::write(const Pending& pending) {
    constexpr std::uint64_t block = 1 << 20;
    std::string rows;
    for (const Stretch& stretch : pending.on_disk) {
        for (std::uint64_t at = 0; at < stretch.size; at += rows.size()) {
            rows.resize(std::min(block, stretch.size - at));
            pending.disk->read(stretch.begin + at, rows);
            files_[stretch.file]->append(rows);
        }
    }
    for (std::size_t file = 0; file < pending.rows.size(); ++file) {
        files_[file]->append(pending.rows[file]);
    }
}

void MergedFiles::finish(std::uint32_t replication) {
    const std::lock_guard lock(mutex_);
    pending_[replication].finished = true;
    while (!pending_.empty() && pending_.begin()->first == front_ &&
           pending_.begin()->second.finished) {
        pending_.erase(pending_.begin());
        ++front_;
        const auto next = pending_.find(front_);
        if (next != pending_.end()) {
            write(next->second);
            const bool finished = next->second.finished;
            next->second = {};
            next->second.finished = finished;
        }
    }
}

void MergedFiles::close() {
    for (const auto& file : files_) {
        file->close();
    }
}

}  // namespace berth::experiments
