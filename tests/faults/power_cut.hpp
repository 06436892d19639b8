#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace berth::tests {

/// What a power cut takes that nobody synced: the content of files written since, and the entries
/// of folders changed since, which are again what they were when the folder was last synced.
///
/// Limits: an inode is known by its number alone, so all must lie on one file system. A file that
///         is truncated or linked to while others write it is not followed.
class PowerCut {
public:
    /// Whose entries come back to what was synced.
    enum class Folders : unsigned char { none, all, some };

    /// What is kept for a cut lies in `attic`, a folder beside the one that is watched. `draw`
    /// chooses the folders, where only some lose their entries.
    PowerCut(Folders folders, std::string attic, unsigned long draw);

    /// Before a file is written to.
    void will_write(int descriptor);
    /// Before an entry of a folder is made, replaced, moved or removed; paths are those of openat.
    void will_change(int folder, std::string_view path);
    /// Removes an empty folder so that a cut can bring it back. Returns whether it did: otherwise
    /// nothing has happened.
    [[nodiscard]] bool remove_folder(int folder, std::string_view path);
    /// An entry that is there has never been synced: a cut takes it.
    void never_synced(const std::string& path);
    /// After a file or a folder was synced.
    void synced(int descriptor);
    /// Takes what was not synced. Nothing must happen afterwards.
    void cut();

private:
    /// What an entry was when its folder was last synced.
    struct Entry {
        enum class Kind : unsigned char { none, file, folder };
        Kind kind = Kind::none;
        std::string kept = {};  ///< A file's other name, in the attic.
        int descriptor = -1;    ///< A folder's.
    };
    struct Changed {
        int descriptor = -1;
        bool loses = true;
        std::map<std::string, Entry> before = {};  ///< By the entry's name.
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
    unsigned kept_ = 0;                 ///< Names given in the attic.
    std::map<ino_t, int> written_;      ///< Descriptors of files, by inode.
    std::map<ino_t, Changed> changed_;  ///< Folders, by inode.
};

}  // namespace berth::tests
