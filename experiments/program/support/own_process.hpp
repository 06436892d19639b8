#pragma once

#include <pthread.h>

namespace berth::experiments {

/// How many forks lie between the first process with this library and the current one.
[[nodiscard]] inline unsigned& forks() {
    static unsigned count = 0;
    static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++count; });
    static_cast<void>(registered);
    return count;
}

/// The process in which this object was made. In a copy of that process by fork(), only the thread
/// that forked goes on: the others are gone, and so are their stacks and the locks that they held.
class OwnProcess {
public:
    [[nodiscard]] bool is_here() const { return made_after_ == forks(); }

private:
    unsigned made_after_ = forks();
};

}  // namespace berth::experiments
