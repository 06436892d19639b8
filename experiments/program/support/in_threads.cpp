#include "experiments/program/support/in_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::experiments {

void in_threads(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto take_turns = [&] {
        for (std::size_t i = next++; i < count && !failed; i = next++) {
            try {
                work(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = failure ? failure : std::current_exception();
                failed = true;
            }
        }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
        others.emplace_back(take_turns);
    }
    take_turns();
    for (std::thread& thread : others) {
        thread.join();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace berth::experiments
