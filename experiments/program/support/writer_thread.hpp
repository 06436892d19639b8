#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace berth::experiments {

/// Does work in a thread of its own, one piece after the other in the order in which they were
/// given. Where the system gives no thread, whoever gives a piece does it.
class WriterThread {
public:
    /// At most `waiting_max` pieces wait.
    explicit WriterThread(std::size_t waiting_max);
    /// What has not begun is left undone.
    ~WriterThread();
    WriterThread(const WriterThread&) = delete;
    WriterThread& operator=(const WriterThread&) = delete;

    /// Waits while too many pieces wait.
    /// Errors: what an earlier piece threw, after which none is done.
    void give(std::function<void()> piece);
    /// Waits until all that was given is done.
    /// Errors: what a piece threw.
    void finish();

private:
    void work();

    std::size_t waiting_max_;
    std::mutex mutex_;  ///< Guards what follows, except the thread.
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    bool busy_ = false;
    bool over_ = false;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace berth::experiments
