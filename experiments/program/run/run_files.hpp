#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/program/support/temporary.hpp"

namespace berth::experiments {

/// What manifest.json of a run directory says of itself.
inline constexpr const char* manifest_schema = "berth.manifest/v1";

/// The files of a run in the making, wherever they are kept.
class RunFiles {
public:
    /// A file that is written in pieces.
    class File {
    public:
        virtual ~File() = default;
        virtual void append(std::string_view text) = 0;
        /// All of it was appended; call it once.
        virtual void close() = 0;
    };

    virtual ~RunFiles() = default;

    [[nodiscard]] virtual std::unique_ptr<File> open(const std::string& name) = 0;
    /// Where files may wait that memory has no room for; nothing: all files are in memory anyway.
    [[nodiscard]] virtual std::optional<UnnamedFile::Place> spill_place() const {
        return std::nullopt;
    }
    /// All files are complete: nobody sees one of them before.
    virtual void commit() = 0;

    /// Writes a file at once.
    void write(const std::string& name, std::string_view content) {
        const auto file = open(name);
        file->append(content);
        file->close();
    }
    /// A file is there in another form, which has another name: `jobs.csv` as `jobs.csv.zst`.
    void stands_for(const std::string& name, std::string sha256) {
        closed(name, std::move(sha256));
    }
    /// Of a file that was closed or written, or that another one stands for.
    [[nodiscard]] const std::string& sha256(const std::string& name) const {
        return digests_.at(name);
    }

protected:
    void closed(const std::string& name, std::string sha256) { digests_[name] = std::move(sha256); }
    [[nodiscard]] bool has(const std::string& name) const { return digests_.contains(name); }

private:
    std::map<std::string, std::string> digests_;  ///< By name.
};

}  // namespace berth::experiments
