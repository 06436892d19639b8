// The calls of berth.h for a run whose scheduler is the caller.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/c/calls.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace {

using namespace berth;

c::SteppedRun& steps_of(berth_handle& handle) {
    if (!handle.steps) {
        throw c::OutOfTurn(handle.finished ? "the run is over: expected no further turn"
                                           : "no run to step: expected berth_begin before");
    }
    if (!handle.steps->is_here()) {
        throw c::OutOfTurn(
            "the run belongs to the process that began it, and this one is a forked copy: expected "
            "berth_close, and a new handle by berth_open");
    }
    return *handle.steps;
}

c::CallerTurn& turn_of(berth_handle& handle) {
    c::CallerTurn* const turn = steps_of(handle).turn();
    if (turn == nullptr) {
        throw c::OutOfTurn("no turn yet: expected berth_step before");
    }
    return *turn;
}

/// Carries out a verb. The message about a wrong one reads as it does where it ends a run.
template <class Verb>
int act(berth_handle* handle, const Verb& verb) {
    return c::guarded(handle, [&] {
        c::CallerTurn& turn = turn_of(*handle);
        try {
            return verb(turn);
        } catch (const sim::SchedulerError& error) {
            throw sim::SchedulerError(fmt::format(
                "{}: error: replication 0, {}", handle->experiment->spec.name, error.what()));
        }
    });
}

void check_places(const berth_place* places, std::size_t count) {
    if (count > 0) {
        c::check_given(places, "places");
    }
}

}  // namespace

int berth_begin(berth_handle* handle, const char* folder) {
    return c::guarded(handle, [=] {
        const c::Experiment& experiment = c::experiment_of(*handle);
        c::check_unused(*handle);
        handle->steps = std::make_unique<c::SteppedRun>(
            experiment.spec,
            experiment.resolved.document,
            folder != nullptr ? std::optional<std::filesystem::path>(folder) : std::nullopt);
        return BERTH_OK;
    });
}

int berth_step(berth_handle* handle, berth_view* view) {
    return c::guarded(handle, [=] {
        c::check_given(view, "view");
        c::SteppedRun& steps = steps_of(*handle);
        bool goes_on = false;
        try {
            goes_on = steps.next();
        } catch (...) {
            handle->steps.reset();
            throw;
        }
        if (goes_on) {
            *view = steps.turn()->look();
            return static_cast<int>(BERTH_OK);
        }
        handle->finished = steps.take();
        handle->steps.reset();
        *view = {};
        return static_cast<int>(BERTH_OVER);
    });
}

int berth_look(berth_handle* handle, berth_view* view) {
    return c::guarded(handle, [=] {
        c::check_given(view, "view");
        *view = turn_of(*handle).look();
        return BERTH_OK;
    });
}

int berth_start(berth_handle* handle, int64_t job, const berth_place* places, size_t place_count) {
    return act(handle, [=](c::CallerTurn& turn) {
        check_places(places, place_count);
        turn.start(job, places, place_count);
        return BERTH_OK;
    });
}

int berth_evict(berth_handle* handle, int64_t job) {
    return act(handle, [=](c::CallerTurn& turn) {
        turn.evict(job);
        return BERTH_OK;
    });
}

int berth_resize(berth_handle* handle,
                 int64_t job,
                 int64_t size,
                 const berth_place* places,
                 size_t place_count) {
    return act(handle, [=](c::CallerTurn& turn) {
        check_places(places, place_count);
        const bool answers = turn.resize(job, size, places, place_count);
        return static_cast<int>(answers ? BERTH_OK : BERTH_UNANSWERED);
    });
}

int berth_reject(berth_handle* handle, int64_t job, const char* reason) {
    return act(handle, [=](c::CallerTurn& turn) {
        c::check_given(reason, "reason");
        c::check_text(reason, "reason");
        turn.reject(job, reason);
        return BERTH_OK;
    });
}

int berth_wake(berth_handle* handle, int64_t at) {
    return act(handle, [=](c::CallerTurn& turn) {
        turn.wake(at);
        return BERTH_OK;
    });
}
