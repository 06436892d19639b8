#include "experiments/program/support/make_folders.hpp"

#include <unistd.h>

#include <ranges>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "experiments/program/support/file_writer.hpp"

namespace berth::experiments {

namespace fs = std::filesystem;

std::vector<fs::path> make_folders(const fs::path& folder) {
    std::vector<fs::path> missing;
    fs::path at = folder;
    for (; !at.empty() && !core::exists(at); at = at.parent_path()) {
        missing.push_back(at);
    }
    try {
        if (!at.empty()) {
            sync_folder(at.parent_path());  // a command that was killed may have made it
        }
        for (const fs::path& path : missing | std::views::reverse) {
            fs::create_directory(path);
            sync_folder(path.parent_path());
        }
    } catch (const std::system_error&) {
        remove_empty(missing);
        throw;
    }
    return missing;
}

void remove_empty(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        ::rmdir(folder.c_str());  // which leaves files and links alone
    }
}

}  // namespace berth::experiments
