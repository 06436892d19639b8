#include "experiments/program/run/merged_files.hpp"

#include <utility>

namespace berth::experiments {

MergedFiles::MergedFiles(RunFiles& run, const std::vector<File>& files) : run_(run) {
    for (const File& file : files) {
        auto opened = run.open(file.name);
        opened->append(file.header);
        files_.add(std::move(opened));
    }
}

InOrder::MakeFile MergedFiles::unnamed_files() const {
    if (!run_.spill_place()) {
        return nullptr;
    }
    return [this] { return std::make_unique<UnnamedFile>(*run_.spill_place()); };
}

MergedFiles::Pending& MergedFiles::pending_of(std::uint32_t replication) {
    const std::lock_guard lock(mutex_);
    auto& pending = pending_[replication];
    if (pending == nullptr) {
        pending = std::make_unique<Pending>();
    }
    return *pending;
}

void MergedFiles::append(std::uint32_t replication, std::size_t file, std::string& rows) {
    if (rows.empty()) {
        return;
    }
    // A turn that has come stays, until this replication ends it.
    if (replication != front_) {
        Pending& pending = pending_of(replication);
        const std::lock_guard lock(pending.mutex);
        if (replication != front_) {
            wait(pending, file, rows);
            return;
        }
    }
    files_.write(file, rows);
}

void MergedFiles::wait(Pending& pending, std::size_t file, std::string& rows) const {
    const std::size_t size = rows.size();
    pending.bytes += size;
    pending.rows.push_back({file, {.text = std::exchange(rows, {})}});
    constexpr std::size_t bytes_max = std::size_t{16} << 20;
    if (pending.bytes > bytes_max && run_.spill_place()) {
        spill(pending);
    }
    if (pending.spare.empty()) {
        rows.reserve(size);  // the next rows are about as many
    } else {
        rows.swap(pending.spare.back());
        pending.spare.pop_back();
    }
}

void MergedFiles::spill(Pending& pending) const {
    if (pending.disk == nullptr) {
        pending.disk = std::make_shared<UnnamedFile>(*run_.spill_place());
    }
    for (Rows& rows : pending.rows) {
        QueuedText& there = rows.text;
        if (there.disk == nullptr) {
            there.begin = pending.disk->append(there.text);
            there.size = there.text.size();
            there.disk = pending.disk;
            there.text.clear();
            pending.spare.push_back(std::move(there.text));
        }
    }
    pending.bytes = 0;
}

/// Its rows go into the files, before any that it appends itself. Returns whether it is finished.
bool MergedFiles::begin_turn(std::uint32_t replication) {
    Pending& pending = pending_of(replication);
    const std::lock_guard lock(pending.mutex);
    for (Rows& rows : pending.rows) {
        files_.put(rows.file, std::move(rows.text));
    }
    pending.rows = {};
    pending.spare = {};
    pending.disk.reset();
    front_ = replication;
    return pending.finished;
}

void MergedFiles::finish(std::uint32_t replication) {
    {
        Pending& pending = pending_of(replication);
        const std::lock_guard lock(pending.mutex);
        if (replication != front_) {
            pending.finished = true;
            return;
        }
    }
    for (bool finished = true; finished; ++replication) {
        {
            const std::lock_guard lock(mutex_);
            pending_.erase(replication);
        }
        finished = begin_turn(replication + 1);
    }
    files_.write_waiting();
}

}  // namespace berth::experiments
