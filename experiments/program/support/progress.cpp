#include "experiments/program/support/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>

namespace berth::experiments {

Progress::Progress(bool wanted, std::function<std::string()> line) : line_(std::move(line)) {
    if (wanted && ::isatty(STDERR_FILENO) == 1) {
        try {
            thread_ = std::thread([this] { show(); });
        } catch (const std::system_error&) {
            // Where there is no thread left, nobody is shown how far it is.
        }
    }
}

Progress::~Progress() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        is_done_ = true;
    }
    done_.notify_one();
    thread_.join();
}

void Progress::show() {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    bool shown = false;
    auto wait = 2000ms;
    while (!done_.wait_for(lock, wait, [this] { return is_done_; })) {
        std::fprintf(stderr, "\r\033[K%s", line_().c_str());
        std::fflush(stderr);
        shown = true;
        wait = 200ms;
    }
    if (shown) {
        std::fprintf(stderr, "\r\033[K");
        std::fflush(stderr);
    }
}

}  // namespace berth::experiments
