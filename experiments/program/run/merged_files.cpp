#include "experiments/program/run/merged_files.hpp"

namespace berth::experiments {

MergedFiles::MergedFiles(RunFiles& run, const std::vector<File>& files) {
    for (const File& file : files) {
        files_.push_back(run.open(file.name));
        files_.back()->append(file.header);
    }
}

void MergedFiles::write(std::size_t file, const std::string& rows) {
    files_[file]->append(rows);
}

void MergedFiles::append(std::uint32_t replication, std::size_t file, std::string& rows) {
    if (rows.empty()) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (replication == front_) {
        write(file, rows);
    } else {
        Pending& pending = pending_[replication];
        pending.rows.resize(files_.size());
        pending.rows[file] += rows;
    }
    rows.clear();
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
            for (std::size_t file = 0; file < next->second.rows.size(); ++file) {
                write(file, next->second.rows[file]);
            }
            next->second.rows.clear();
        }
    }
}

void MergedFiles::close() {
    for (const auto& file : files_) {
        file->close();
    }
}

}  // namespace berth::experiments
