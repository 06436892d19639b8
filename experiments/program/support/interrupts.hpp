#pragma once

namespace berth::experiments {

/// Has a function called at SIGINT, SIGTERM and SIGHUP. A signal that was ignored when the program
/// began stays ignored, which is what nohup asks for. The function must be async-signal-safe.
void at_interrupt(void (*handle)(int signal));

}  // namespace berth::experiments
