#include "experiments/c/calls.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/program/support/plain_text.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::c {
namespace {

int tell(berth_handle& handle, int status, const char* message) noexcept {
    try {
        handle.message = message;
        handle.place = place_of(handle.message);
    } catch (...) {
        handle.message.clear();  // an empty message makes berth_message report the lack of memory
        handle.place.file.clear();
        handle.place.line = 0;
        handle.place.column = 0;
        status = BERTH_FAILED;
    }
    return status;
}

}  // namespace

int tell_of_exception(berth_handle& handle) noexcept {
    handle.has_failed = true;
    try {
        throw;
    } catch (const core::InputError& error) {
        return tell(handle, BERTH_BAD_INPUT, error.what());
    } catch (const sim::SchedulerError& error) {
        return tell(handle, BERTH_BAD_DECISION, error.what());
    } catch (const OutOfTurn& error) {
        return tell(handle, BERTH_OUT_OF_TURN, error.what());
    } catch (const std::bad_alloc&) {
        return tell(handle, BERTH_FAILED, "not enough memory");
    } catch (const std::exception& error) {
        return tell(handle, BERTH_FAILED, error.what());
    } catch (...) {
        return tell(handle, BERTH_FAILED, "an error without a message");
    }
}

Experiment& experiment_of(berth_handle& handle) {
    if (!handle.experiment) {
        throw OutOfTurn("no experiment: expected berth_read or berth_read_text before");
    }
    return *handle.experiment;
}

FinishedRun& finished_of(berth_handle& handle) {
    if (!handle.finished) {
        throw OutOfTurn("no run is over: expected berth_run, or berth_step until BERTH_OVER");
    }
    return *handle.finished;
}

void check_unused(const berth_handle& handle) {
    if (handle.steps || handle.asked || handle.finished) {
        throw OutOfTurn("the handle is used already: expected a new one by berth_open");
    }
}

void check_given(const void* argument, const char* name) {
    if (argument == nullptr) {
        throw core::InputError(fmt::format("{}: error: NULL: expected a pointer to it", name));
    }
}

void check_text(const char* text, const char* name) {
    if (text != nullptr && experiments::broken_utf8(text)) {
        throw core::InputError(fmt::format("{}: error: '{}' is not UTF-8: expected a text in UTF-8",
                                           name,
                                           experiments::plain_text(text)));
    }
}

}  // namespace berth::c
