#include "experiments/program/commands/completion/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace berth::experiments {

namespace {

namespace fs = std::filesystem;

struct Entry {
    std::string text;  ///< The path as the user would type it.
    bool is_folder = false;
};

/// The entries that can complete a path, sorted by name.
std::vector<Entry> entries_begun(const std::string& text) {
    const std::size_t slash = text.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : text.substr(0, slash + 1);
    const std::string begun = text.substr(folder.size());
    std::vector<Entry> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(begun) && (!name.starts_with('.') || begun.starts_with('.'))) {
            std::error_code ignored;  // the error of a broken link
            entries.push_back({folder + name, at->is_directory(ignored)});
        }
    }
    std::ranges::sort(entries, {}, &Entry::text);
    return entries;
}

bool has_one_of(const std::string& name, std::string_view endings) {
    std::istringstream each{std::string(endings)};
    for (std::string ending; each >> ending;) {
        if (name.ends_with(ending)) {
            return true;
        }
    }
    return endings.empty();
}

}  // namespace

std::vector<Completion> file_completions(const BegunValue& begun, std::string_view endings) {
    std::vector<Completion> out;
    for (const Entry& entry : entries_begun(begun.text)) {
        if (entry.is_folder) {
            out.push_back({entry.text + "/"});
        } else if (has_one_of(entry.text, endings)) {
            out.push_back({entry.text});
        }
    }
    return out;
}

std::vector<Completion> folder_completions(const BegunValue& begun, std::string_view /*detail*/) {
    std::vector<Completion> out;
    for (const std::string& folder : folders_begun(begun.text)) {
        out.push_back({folder + "/"});
    }
    return out;
}

std::vector<std::string> folders_begun(const std::string& text) {
    std::vector<std::string> out;
    for (const Entry& entry : entries_begun(text)) {
        if (entry.is_folder) {
            out.push_back(entry.text);
        }
    }
    return out;
}

}  // namespace berth::experiments
