#include "experiments/program/support/in_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
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
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
                others.emplace_back(take_turns);
            }
        } catch (const std::system_error&) {
            // The system provides no more threads, so the existing ones do all the work.
        } catch (const std::bad_alloc&) {
        }
        take_turns();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace berth::experiments
