#include "experiments/program/support/interrupts.hpp"

#include <signal.h>

#include <csignal>
#include <initializer_list>

namespace berth::experiments {

void at_interrupt(void (*handle)(int signal)) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now{};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
            (void)std::signal(signal, handle);
        }
    }
}

}  // namespace berth::experiments
