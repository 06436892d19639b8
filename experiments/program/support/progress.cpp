#include "experiments/program/support/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

namespace berth::experiments {

Progress::Progress(ProgressView* view, std::function<HowFar()> how_far) : view_(view) {
    if (view_ != nullptr) {
        view_->begin(std::move(how_far));
    }
}

Progress::~Progress() {
    if (view_ != nullptr) {
        view_->end();
    }
}

void TerminalProgress::begin(std::function<HowFar()> how_far) {
    how_far_ = std::move(how_far);
    is_done_ = false;
    if (::isatty(STDERR_FILENO) == 1) {
        try {
            thread_ = std::thread([this] { show(); });
        } catch (const std::system_error&) {
            // Without another thread, no progress is shown.
        }
    }
}

void TerminalProgress::end() {
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

void TerminalProgress::show() {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    bool shown = false;
    auto wait = 2000ms;
    while (!done_.wait_for(lock, wait, [this] { return is_done_; })) {
        std::fprintf(stderr, "\r\033[K%s", how_far_().line.c_str());
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
