#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "experiments/program/run/run_files.hpp"

namespace berth::experiments {

/// Files to which several replications write at once and in which their rows stand in the order of
/// the replications. The first unfinished replication writes through; the others wait in memory.
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

private:
    struct Pending {
        std::vector<std::string> rows;  ///< By file.
        bool finished = false;
    };
    void write(std::size_t file, const std::string& rows);

    std::vector<std::unique_ptr<RunFiles::File>> files_;
    std::mutex mutex_;
    std::uint32_t front_ = 0;
    std::map<std::uint32_t, Pending> pending_;
};

}  // namespace berth::experiments
