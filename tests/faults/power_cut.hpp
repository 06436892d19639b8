#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace berth::tests {

/// Simulates what a power cut loses if it was not synced: the content of files written since, and
/// changes of folder entries, which become again what they were when the folder was last synced.
///
/// Limits: inodes are told apart by their numbers alone, so that all must lie on one file system. A
///         file that is truncated or linked while others write to it is not followed.
class PowerCut {
public:
    /// The folders whose entries return to their synced state.
    enum class Folders : unsigned char { none, all, some };

    /// Everything kept for a cut lies in `attic`, a folder beside the watched one. `draw` selects
    /// the folders if only some lose their entries.
    PowerCut(Folders folders, std::string attic, unsigned long draw);

    /// Must be called before a file is written to.
    void will_write(int descriptor);
    /// Must be called before an entry of a folder is created, replaced, moved or removed; paths are
    /// those of openat().
    void will_change(int folder, std::string_view path);
    /// Removes an empty folder in such a way that a cut can bring it back. Returns whether it did;
    /// if not, nothing has happened.
    [[nodiscard]] bool remove_folder(int folder, std::string_view path);
    /// Declares that an existing entry has never been synced, so that a cut removes it.
    void never_synced(const std::string& path);
    /// Must be called after a file or a folder was synced.
    void synced(int descriptor);
    /// Discards what was not synced. Nothing must happen afterwards.
    void cut();

private:
    /// The state of an entry when its folder was last synced.
    struct Entry {
        enum class Kind : unsigned char { none, file, folder };
        Kind kind = Kind::none;
        std::string kept = {};  ///< Name of a file in the attic.
        int descriptor = -1;    ///< Descriptor of a folder.
    };
    struct Changed {
        int descriptor = -1;
        bool loses = true;
        std::map<std::string, Entry> before = {};  ///< Entries by name.
    };
    Changed& changed(int folder);
    [[nodiscard]] Entry entry_now(int folder, const std::string& name);
    [[nodiscard]] std::string attic_name();
    int attic();
    void restore_entries();

    const Folders folders_;
    const std::string attic_path_;
    const unsigned long draw_;
    std::mutex mutex_;
    int attic_ = -1;
    unsigned kept_ = 0;                 ///< Number of names given in the attic.
    std::map<ino_t, int> written_;      ///< Descriptors of written files, by inode.
    std::map<ino_t, Changed> changed_;  ///< Changed folders, by inode.
};

}  // namespace berth::tests
