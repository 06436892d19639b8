#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "experiments/program/run/file_queues.hpp"
#include "experiments/program/run/in_order.hpp"
#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

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
