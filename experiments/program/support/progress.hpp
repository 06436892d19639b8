#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace berth::experiments {

/// While it lives, shows one line on standard error that says how far the work is; from the third
/// second on, and only on a terminal.
class Progress {
public:
    /// `line` is called from another thread.
    Progress(bool wanted, std::function<std::string()> line);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

private:
    void show();

    std::function<std::string()> line_;
    std::mutex mutex_;
    std::condition_variable done_;
    bool is_done_ = false;
    std::thread thread_;
};

}  // namespace berth::experiments
