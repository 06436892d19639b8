#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// The schema that the manifest.json of a run directory states.
inline constexpr const char* manifest_schema = "berth.manifest/v1";

/// The files of a run that is being written, in memory or on the disk.
class RunFiles {
public:
    /// A file that is written in pieces.
    class File {
    public:
        virtual ~File() = default;
        virtual void append(std::string_view text) = 0;
        /// Called once, when the whole file has been appended.
        virtual void close() = 0;
    };

    virtual ~RunFiles() = default;

    [[nodiscard]] virtual std::unique_ptr<File> open(const std::string& name) = 0;
    /// Where files may wait that do not fit into memory; nothing: all files are in memory anyway.
    [[nodiscard]] virtual std::optional<UnnamedFile::Place> spill_place() const {
        return std::nullopt;
    }
    /// Called when all files are complete. Before that, none of them is visible.
    virtual void commit() = 0;

    /// Writes a whole file at once.
    void write(const std::string& name, std::string_view content) {
        const auto file = open(name);
        file->append(content);
        file->close();
    }
    /// Records a file that is stored in another form under another name: `jobs.csv` as
    /// `jobs.csv.zst`.
    void stands_for(const std::string& name, std::string sha256) {
        closed(name, std::move(sha256));
    }
    /// The digest of a file that has been closed or written, or that another file stands for.
    [[nodiscard]] const std::string& sha256(const std::string& name) const {
        return digests_.at(name);
    }

protected:
    void closed(const std::string& name, std::string sha256) { digests_[name] = std::move(sha256); }
    [[nodiscard]] bool has(const std::string& name) const { return digests_.contains(name); }

private:
    std::map<std::string, std::string> digests_;  ///< The digests by file name.
};

}  // namespace berth::experiments
