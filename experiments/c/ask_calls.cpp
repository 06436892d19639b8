// The calls of berth.h that ask berth's own schedulers.

#include <span>

#include "experiments/c/calls.hpp"

namespace {

using namespace berth;

c::Asked& asked_of(berth_handle& handle) {
    if (!handle.asked) {
        throw c::OutOfTurn("no scheduler to ask: expected berth_ask before");
    }
    return *handle.asked;
}

}  // namespace

int berth_ask(berth_handle* handle) {
    return c::guarded(handle, [=] {
        const c::Experiment& experiment = c::experiment_of(*handle);
        c::check_unused(*handle);
        handle->asked.emplace(experiment.resolved, experiment.spec);
        return BERTH_OK;
    });
}

int berth_submit(berth_handle* handle, const berth_request* request, int64_t* job) {
    return c::guarded(handle, [=] {
        c::check_given(request, "request");
        c::check_given(job, "job");
        *job = static_cast<int64_t>(asked_of(*handle).submit(*request));
        return BERTH_OK;
    });
}

int berth_ended(berth_handle* handle, int64_t job) {
    return c::guarded(handle, [=] {
        asked_of(*handle).ended(job);
        return BERTH_OK;
    });
}

int berth_server_changed(berth_handle* handle, int64_t server, int up) {
    return c::guarded(handle, [=] {
        asked_of(*handle).server_changed(server, up != 0);
        return BERTH_OK;
    });
}

int berth_decide(berth_handle* handle,
                 int64_t now,
                 const berth_decision** decisions,
                 size_t* count) {
    return c::guarded(handle, [=] {
        c::check_given(decisions, "decisions");
        c::check_given(count, "count");
        const std::span<const berth_decision> decided = asked_of(*handle).decide(now);
        *decisions = decided.data();
        *count = decided.size();
        return BERTH_OK;
    });
}

int berth_next_turn(berth_handle* handle, int64_t* at) {
    return c::guarded(handle, [=] {
        c::check_given(at, "at");
        *at = asked_of(*handle).next_turn();
        return BERTH_OK;
    });
}
