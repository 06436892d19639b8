#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "experiments/program/run/in_order.hpp"
#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// Text that goes into a file. It is in memory, or on the disk while it waits.
struct QueuedText {
    std::string text;
    std::shared_ptr<const UnnamedFile> disk{};  ///< nullptr: the whole text is in `text`.
    std::uint64_t begin = 0;                    ///< Where the part on the disk begins.
    std::uint64_t size = 0;                     ///< The size of the part on the disk.
};

/// Files with a queue of texts to be written to each. Any number of threads may put texts there and
/// write, but only one thread at a time writes to one file. So threads compute digests, compress
/// and copy texts while others make them.
///
/// Cost:   beside the waiting texts, the memory of two more texts for each file.
/// Errors: an exception of a file is thrown in the thread that writes to it, and in all threads
///         that call later.
class FileQueues {
public:
    FileQueues() = default;
    /// Texts that wait for the own thread are written first.
    ~FileQueues();
    FileQueues(const FileQueues&) = delete;
    FileQueues& operator=(const FileQueues&) = delete;

    void add(std::unique_ptr<RunFiles::File> file);
    [[nodiscard]] std::size_t size() const { return queues_.size(); }

    /// Takes the text and leaves `text` empty. It is written before this returns, unless other
    /// threads are writing; then at most some megabytes of a file wait for them.
    void write(std::size_t file, std::string& text);
    /// Puts a text there for the next thread that writes.
    void put(std::size_t file, QueuedText text);
    /// Writes the texts that wait while no thread writes to their file.
    void write_waiting();
    /// Writes texts as they arrive, until end() has been called and no text is left that no thread
    /// writes.
    void write_beside();
    /// From now on, lets a thread of its own do this, if the system gives one. It is called once,
    /// when all files have been added.
    void write_in_own_thread();
    /// Tells writing threads that they need not wait for more texts.
    void end();
    /// Writes the remaining texts and closes the files. No other thread uses the object any more.
    void close();

private:
    struct Queue {
        std::unique_ptr<RunFiles::File> file;
        std::deque<QueuedText> texts;
        std::size_t bytes = 0;  ///< The size of the texts in memory.
        bool is_written = false;
    };
    using Lock = std::unique_lock<std::mutex>;
    void check() const;
    void add(Queue& queue, QueuedText text);
    [[nodiscard]] Queue* idle_queue();
    void write_all(Queue& queue, Lock& lock);
    void end_own_thread();
    static void write(RunFiles::File& file, const QueuedText& text);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Queue> queues_;
    std::vector<std::string> spare_;  ///< Empty texts whose memory is reused for the next texts.
    std::size_t beside_ = 0;          ///< The number of threads in write_beside().
    bool ended_ = false;
    std::exception_ptr failure_;
    std::thread own_thread_;
};

/// Files to which several replications write at once and whose rows are in the order of the
/// replications. The first unfinished replication writes directly. The rows of the others wait in
/// memory, and on the disk once there are more than a few megabytes.
///
/// Errors: exceptions of the files are thrown in the thread that writes, and in all that append or
///         close later.
class MergedFiles {
public:
    struct File {
        std::string name;
        std::string header;  ///< The header, with its newline.
    };
    MergedFiles(RunFiles& run, const std::vector<File>& files);

    /// Appends whole rows of a replication to a file. It takes the rows and leaves `rows` empty. A
    /// replication appends from one thread at a time.
    void append(std::uint32_t replication, std::size_t file, std::string& rows);
    /// Called when no more rows will come from this replication.
    void finish(std::uint32_t replication);
    /// Writes what the replications append, in this thread beside theirs, until end() is called.
    void write_beside() { files_.write_beside(); }
    /// Lets a thread of its own do this too, if the system gives one. It is called once.
    void write_in_own_thread() { files_.write_in_own_thread(); }
    /// Called when all replications have finished, or waiting for them has become useless.
    void end() { files_.end(); }
    void close() { files_.close(); }
    /// A function that makes files for rows that do not fit into memory; nullptr if all files are
    /// in memory.
    [[nodiscard]] InOrder::MakeFile unnamed_files() const;

private:
    struct Rows {
        std::size_t file = 0;
        QueuedText text;
    };
    /// The rows of a replication whose turn has not come.
    struct Pending {
        std::mutex mutex;
        std::vector<Rows> rows;          ///< The rows, in their order.
        std::size_t bytes = 0;           ///< The size of the rows in memory.
        std::vector<std::string> spare;  ///< Empty texts whose memory is reused for the next rows.
        std::shared_ptr<UnnamedFile> disk;
        bool finished = false;
    };
    [[nodiscard]] Pending& pending_of(std::uint32_t replication);
    void wait(Pending& pending, std::size_t file, std::string& rows) const;
    void spill(Pending& pending) const;
    bool begin_turn(std::uint32_t replication);

    RunFiles& run_;
    FileQueues files_;
    /// The replication that writes directly. Its rows and those of all before it are in the files.
    std::atomic<std::uint32_t> front_ = 0;
    std::mutex mutex_;  ///< Guards the map, but not the values in it.
    std::map<std::uint32_t, std::unique_ptr<Pending>> pending_;
};

}  // namespace berth::experiments
