#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "experiments/program/run/in_order.hpp"
#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// Files to which several replications write at once and in which their rows stand in the order of
/// the replications. The first unfinished replication writes through; the rows of each other wait
/// in memory, and on the disk once they are more than a few megabytes.
class MergedFiles {
public:
    struct File {
        std::string name;
        std::string header;  ///< With its newline.
    };
    MergedFiles(RunFiles& run, const std::vector<File>& files);

    /// Appends whole rows of a replication to a file; takes the rows and leaves `rows` empty.
    void append(std::uint32_t replication, std::size_t file, std::string& rows);
    /// No more rows will come from this replication.
    void finish(std::uint32_t replication);
    void close();
    /// Makes files for what memory has no room for, or nullptr where all files are in memory.
    [[nodiscard]] InOrder::MakeFile unnamed_files() const;

private:
    /// Rows of one file that are on the disk.
    struct Stretch {
        std::size_t file = 0;
        std::uint64_t begin = 0;
        std::uint64_t size = 0;
    };
    struct Pending {
        std::vector<std::string> rows;  ///< By file; what came last.
        std::size_t bytes = 0;          ///< Of all these rows.
        std::vector<Stretch> on_disk;   ///< What came before them, in its order.
        std::unique_ptr<UnnamedFile> disk;
        bool finished = false;
    };
    void spill(Pending& pending) const;
    void write(const Pending& pending);

    RunFiles& run_;
    std::vector<std::unique_ptr<RunFiles::File>> files_;
    std::mutex mutex_;
    std::uint32_t front_ = 0;
    std::map<std::uint32_t, Pending> pending_;
};

}  // namespace berth::experiments
