#include "experiments/program/support/writer_thread.hpp"

#include <system_error>
#include <utility>

namespace berth::experiments {

WriterThread::WriterThread(std::size_t waiting_max) : waiting_max_(waiting_max) {
    try {
        thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {
        // The system gives no more: give() does the work.
    }
}

WriterThread::~WriterThread() {
    {
        const std::lock_guard lock(mutex_);
        waiting_.clear();
        over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void WriterThread::give(std::function<void()> piece) {
    if (!thread_.joinable()) {
        piece();
        return;
    }
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return failure_ || waiting_.size() < waiting_max_; });
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        waiting_.push_back(std::move(piece));
    }
    changed_.notify_all();
}

void WriterThread::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return failure_ || (waiting_.empty() && !busy_); });
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void WriterThread::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return over_ || (!waiting_.empty() && !failure_); });
        if (over_) {
            return;
        }
        busy_ = true;
        std::exception_ptr failure;
        {
            const std::function<void()> piece = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            changed_.notify_all();
            try {
                piece();
            } catch (...) {
                failure = std::current_exception();
            }
        }
        lock.lock();
        busy_ = false;
        failure_ = failure;
        changed_.notify_all();
    }
}

}  // namespace berth::experiments
