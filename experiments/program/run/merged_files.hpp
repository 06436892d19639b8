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

/// Text that goes into a file: of memory, or else of the disk where it waited.
struct QueuedText {
    std::string text;
    std::shared_ptr<const UnnamedFile> disk{};  ///< Or nullptr: all of it is in `text`.
    std::uint64_t begin = 0;                    ///< On the disk.
    std::uint64_t size = 0;                     ///< On the disk.
};

/// Files with what waits to be written to each, in its order. Any number of threads may put
/// something there and write; to one file writes one of them at a time. So digests are taken, and
/// texts compressed and copied, beside those who make the texts.
///
/// Cost:   beside the texts that wait, the memory of two more for each file.
/// Errors: what a file throws arrives at whoever wrote to it and at all who come after that.
class FileQueues {
public:
    FileQueues() = default;
    /// What waits for the thread of its own is written before.
    ~FileQueues();
    FileQueues(const FileQueues&) = delete;
    FileQueues& operator=(const FileQueues&) = delete;

    void add(std::unique_ptr<RunFiles::File> file);
    [[nodiscard]] std::size_t size() const { return queues_.size(); }

    /// Takes the text and leaves `text` empty. It is written before this returns, unless others
    /// write beside: then at most some megabytes of a file wait for them.
    void write(std::size_t file, std::string& text);
    /// Puts text there for whoever comes next.
    void put(std::size_t file, QueuedText text);
    /// Writes what waits and nobody writes.
    void write_waiting();
    /// Writes what is put there, until end() is called and nothing is left that nobody writes.
    void write_beside();
    /// Has a thread of its own do this from now on, where the system gives one: call it once, when
    /// all files are there.
    void write_in_own_thread();
    /// No more is to come that anybody should wait for.
    void end();
    /// Writes what is left and closes the files. Nobody else is here any more.
    void close();

private:
    struct Queue {
        std::unique_ptr<RunFiles::File> file;
        std::deque<QueuedText> texts;
        std::size_t bytes = 0;  ///< Of texts in memory.
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
    std::vector<std::string> spare_;  ///< Empty, with room for the next texts.
    std::size_t beside_ = 0;          ///< How many are in write_beside().
    bool ended_ = false;
    std::exception_ptr failure_;
    std::thread own_thread_;
};

/// Files to which several replications write at once and in which their rows stand in the order of
/// the replications. The first unfinished replication writes through; the rows of each other wait
/// in memory, and on the disk once they are more than a few megabytes.
///
/// Errors: those of the files, at whoever wrote and at all who append or close after that.
class MergedFiles {
public:
    struct File {
        std::string name;
        std::string header;  ///< With its newline.
    };
    MergedFiles(RunFiles& run, const std::vector<File>& files);

    /// Appends whole rows of a replication to a file; takes the rows and leaves `rows` empty.
    /// A replication appends from one thread at a time.
    void append(std::uint32_t replication, std::size_t file, std::string& rows);
    /// No more rows will come from this replication.
    void finish(std::uint32_t replication);
    /// Writes what replications append, beside them, until end() is called.
    void write_beside() { files_.write_beside(); }
    /// Has a thread of its own do so too, where the system gives one; call it once.
    void write_in_own_thread() { files_.write_in_own_thread(); }
    /// All replications are finished, or it is no use to wait for them.
    void end() { files_.end(); }
    void close() { files_.close(); }
    /// Makes files for what memory has no room for, or nullptr where all files are in memory.
    [[nodiscard]] InOrder::MakeFile unnamed_files() const;

private:
    struct Rows {
        std::size_t file = 0;
        QueuedText text;
    };
    /// Of a replication whose turn has not come.
    struct Pending {
        std::mutex mutex;
        std::vector<Rows> rows;          ///< In their order.
        std::size_t bytes = 0;           ///< How long the rows in memory are.
        std::vector<std::string> spare;  ///< Empty, with room for the next rows.
        std::shared_ptr<UnnamedFile> disk;
        bool finished = false;
    };
    [[nodiscard]] Pending& pending_of(std::uint32_t replication);
    void wait(Pending& pending, std::size_t file, std::string& rows) const;
    void spill(Pending& pending) const;
    bool begin_turn(std::uint32_t replication);

    RunFiles& run_;
    FileQueues files_;
    std::atomic<std::uint32_t> front_ = 0;  ///< Its rows and those before are in the files.
    std::mutex mutex_;                      ///< Of the map, not of what it holds.
    std::map<std::uint32_t, std::unique_ptr<Pending>> pending_;
};

}  // namespace berth::experiments
