#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The files that documents name. Each is read, parsed and digested once, however many experiments
/// are made from them. A file that changes in the meantime keeps its old content here. Only files
/// that are not read but only digested are digested again after a change, because a run reads them
/// later. Any number of threads may call this.
class InputFiles {
public:
    /// Errors: core::InputError if the file cannot be read.
    [[nodiscard]] std::shared_ptr<const core::SourceText> text(const std::filesystem::path& path);
    /// Errors: core::InputError as for text(), and for errors in the text.
    [[nodiscard]] std::shared_ptr<const std::vector<core::Value>> documents(
        const std::filesystem::path& path);
    /// The same as sha256_of(), for a file whose content is not kept.
    [[nodiscard]] std::optional<std::string> sha256(const std::filesystem::path& path);

private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const core::SourceText>> texts_;
    std::map<std::string, std::shared_ptr<const std::vector<core::Value>>> documents_;
    struct Digest {
        std::filesystem::file_time_type changed;
        std::uintmax_t size = 0;
        std::string sha256;
    };
    std::map<std::string, Digest> digests_;
};

/// The name of a file under a key of a map; nullptr if none is named.
/// Errors: core::InputError if it is no text.
[[nodiscard]] core::Value* file_in(core::Value& map, std::string_view key = "file");

/// Handles a map whose `file` is too large to be copied into a resolved experiment, such as a
/// trace: makes the name absolute, and records the content's digest in `sha256`, so that the
/// experiment refers to exactly this file. Relative names are relative to `folder`. The name is
/// under `key`; the last `rest` letters of that text are not part of the name.
/// Errors: core::InputError at the name, for a missing file, for standard input, and for a file
///         that differs from a given `sha256`.
void keep_file(core::Value& map,
               const std::filesystem::path& folder,
               InputFiles& files,
               std::string_view key = "file",
               std::size_t rest = 0);

}  // namespace berth::experiments
