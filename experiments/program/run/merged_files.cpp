#include "experiments/program/run/merged_files.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace berth::experiments {

void FileQueues::add(std::unique_ptr<RunFiles::File> file) {
    queues_.emplace_back().file = std::move(file);
    spare_.reserve(2 * queues_.size());  // so that putting a text there never fails
}

void FileQueues::check() const {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void FileQueues::add(Queue& queue, QueuedText text) {
    queue.bytes += text.text.size();
    queue.texts.push_back(std::move(text));
}

void FileQueues::put(std::size_t file, QueuedText text) {
    const Lock lock(mutex_);
    add(queues_[file], std::move(text));
    changed_.notify_one();
}

void FileQueues::write(std::size_t file, std::string& text) {
    constexpr std::size_t bytes_max = std::size_t{4} << 20;
    Lock lock(mutex_);
    check();
    Queue& queue = queues_[file];
    add(queue, {.text = std::move(text)});
    text.clear();
    if (!spare_.empty()) {
        text.swap(spare_.back());
        spare_.pop_back();
    }
    changed_.notify_one();
    changed_.wait(
        lock, [&] { return queue.bytes < bytes_max || !queue.is_written || failure_ != nullptr; });
    if (!queue.is_written && (beside_ == 0 || queue.bytes >= bytes_max)) {
        write_all(queue, lock);
    }
    check();
}

void FileQueues::write_waiting() {
    Lock lock(mutex_);
    for (Queue& queue : queues_) {
        if (!queue.is_written) {
            write_all(queue, lock);
        }
    }
    check();
}

FileQueues::Queue* FileQueues::idle_queue() {
    const auto at = std::ranges::find_if(
        queues_, [](const Queue& queue) { return !queue.texts.empty() && !queue.is_written; });
    return at == queues_.end() ? nullptr : &*at;
}

void FileQueues::write_beside() {
    Lock lock(mutex_);
    ++beside_;
    while (!failure_) {
        if (Queue* const queue = idle_queue()) {
            write_all(*queue, lock);
        } else if (ended_) {
            break;
        } else {
            changed_.wait(lock);
        }
    }
    --beside_;
}

void FileQueues::write_in_own_thread() {
    try {
        own_thread_ = std::thread([this] { write_beside(); });
    } catch (const std::system_error&) {
        // The system has no thread to give: then write() writes everything.
    }
}

void FileQueues::end_own_thread() {
    end();
    if (own_thread_.joinable()) {
        own_thread_.join();
    }
}

FileQueues::~FileQueues() {
    end_own_thread();
}

void FileQueues::end() {
    const Lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

/// Writes the texts that wait now. Texts that come meanwhile are left to other threads: a thread
/// that makes texts should not spend its time on the texts of others.
void FileQueues::write_all(Queue& queue, Lock& lock) {
    queue.is_written = true;
    for (std::size_t left = queue.texts.size(); left > 0 && !failure_; --left) {
        QueuedText text = std::move(queue.texts.front());
        queue.texts.pop_front();
        queue.bytes -= text.text.size();
        changed_.notify_all();
        lock.unlock();
        std::exception_ptr failure;
        try {
            write(*queue.file, text);
        } catch (...) {
            failure = std::current_exception();
        }
        text.text.clear();
        lock.lock();
        failure_ = failure_ ? failure_ : failure;
        if (spare_.size() < spare_.capacity() && text.text.capacity() > 0) {
            spare_.push_back(std::move(text.text));
        }
    }
    queue.is_written = false;
    changed_.notify_all();
}

void FileQueues::write(RunFiles::File& file, const QueuedText& text) {
    file.append(text.text);
    constexpr std::uint64_t block = 1 << 20;
    std::string rows;
    for (std::uint64_t at = 0; at < text.size; at += rows.size()) {
        rows.resize(std::min(block, text.size - at));
        text.disk->read(text.begin + at, rows);
        file.append(rows);
    }
}

void FileQueues::close() {
    end_own_thread();
    Lock lock(mutex_);
    for (Queue& queue : queues_) {
        write_all(queue, lock);
    }
    check();
    for (Queue& queue : queues_) {
        queue.file->close();
    }
}

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
    // A replication whose turn has come keeps the turn until it finishes.
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
        rows.reserve(size);  // the next rows are probably as long
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

/// Begins a replication's turn: its waiting rows go into the files, before any that it appends
/// later. Returns whether the replication has finished.
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
