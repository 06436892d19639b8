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

/// The files that documents name, each read, parsed and digested once, however many experiments
/// are made of them. A file that changes meanwhile is still what it was, but for one that is only
/// digested: it is looked at when experiments run, and so is digested again. Any number of threads
/// may ask.
class InputFiles {
public:
    /// Errors: core::InputError when it cannot be read.
    [[nodiscard]] std::shared_ptr<const core::SourceText> text(const std::filesystem::path& path);
    /// Errors: core::InputError: as text(), or what is wrong with the text.
    [[nodiscard]] std::shared_ptr<const std::vector<core::Value>> documents(
        const std::filesystem::path& path);
    /// As sha256_of(), of a file whose content is not kept.
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

/// Of a map whose `file` is too large to stand inside a resolved experiment, such as a trace: makes
/// the name absolute, and says in `sha256` what the file holds, so that the experiment means this
/// file and no other. Relative names are relative to `folder`. The name stands under `key`; the
/// last `rest` letters of the text under it are no part of the name.
/// Errors: core::InputError at the name: no such file, standard input, or not the file that a
///         `sha256` beside it tells of.
void keep_file(core::Value& map,
               const std::filesystem::path& folder,
               InputFiles& files,
               std::string_view key = "file",
               std::size_t rest = 0);

}  // namespace berth::experiments
