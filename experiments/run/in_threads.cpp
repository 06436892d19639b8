#include "experiments/run/in_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::experiments {

void in_threads(std::uint32_t count,
                unsigned threads,
                const std::function<bool()>& stopped,
                const std::function<void(std::uint32_t)>& work) {
    std::atomic<std::uint32_t> next_number = 0;
    std::atomic<bool> failed = false;
    std::mutex failure_mutex;
    std::exception_ptr failure;
    const auto take_turns = [&] {
        try {
            for (std::uint32_t number = next_number++; number < count && !failed && !stopped();
                 number = next_number++) {
                work(number);
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            failure = failure ? failure : std::current_exception();
            failed = true;
        }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < std::min(threads, count); ++i) {
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
