#include "experiments/program/batsim/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "experiments/program/support/parsed_json.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::experiments {
namespace {

using Message = nlohmann::ordered_json;
using sim::SchedulerError;
using sim::SimTime;

/// The beginning of a text that may be long.
std::string shortened(const std::string& text) {
    constexpr std::size_t most = 60;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

const Message& member(const Message& object, const char* key, std::string_view of) {
    const auto found = object.find(key);
    if (!object.is_object() || found == object.end()) {
        throw SchedulerError(fmt::format("answers {} without '{}'", of, key));
    }
    return *found;
}

std::string text_in(const Message& object, const char* key, std::string_view of) {
    const Message& text = member(object, key, of);
    if (!text.is_string()) {
        throw SchedulerError(fmt::format(
            "answers {} with {}: {}: expected a text", of, key, shortened(dumped(text))));
    }
    return text.get<std::string>();
}

double number_in(const Message& object, const char* key, std::string_view of) {
    const Message& number = member(object, key, of);
    if (!number.is_number() || !std::isfinite(number.get<double>())) {
        throw SchedulerError(fmt::format(
            "answers {} with {}: {}: expected a number", of, key, shortened(dumped(number))));
    }
    return number.get<double>();
}

/// Converts a number of units of `per_second`, to the nanosecond.
SimTime time_of(double number, double per_second, std::string_view of) {
    constexpr double ns = 1e9;
    constexpr double most = 9e9;  // in seconds, so that nanoseconds still fit
    const double in_seconds = number / per_second;
    if (in_seconds < -most || in_seconds > most) {
        throw SchedulerError(fmt::format("answers {} with a time of {} s", of, in_seconds));
    }
    return SimTime(std::llround(in_seconds * ns));
}

/// The time under a key, which may be exactly the time of the message that was sent.
SimTime time_in(const Message& object, const char* key, std::string_view of, SimTime now) {
    const double number = number_in(object, key, of);
    return number == sim::seconds(now) ? now : time_of(number, 1, of);
}

Message parsed(const std::string& text) {
    Message message = parsed_if_json(text);
    if (!message.is_object() || !message.contains("events") || !message["events"].is_array()) {
        throw SchedulerError(
            fmt::format("answers '{}': expected a message with events, as JSON", shortened(text)));
    }
    return message;
}

void refuse_unless_empty(const Message& event, const char* key) {
    const auto found = event.find(key);
    if (found != event.end() && !found->empty()) {
        throw SchedulerError(
            fmt::format("answers ExecuteJobEvent with {}, which has no counterpart here", key));
    }
}

ExecuteJob read_execute(const Message& event, std::string_view of) {
    ExecuteJob out{text_in(event, "job_id", of), {}};
    const Message& allocation = member(event, "allocation", of);
    const std::string hosts = text_in(allocation, "host_allocation", of);
    const auto numbers = read_hosts(hosts);
    if (!numbers) {
        throw SchedulerError(
            fmt::format("answers {} with host_allocation '{}': expected numbers "
                        "such as 0-3 7",
                        of,
                        shortened(hosts)));
    }
    out.hosts = *numbers;
    const auto placement = allocation.find("executor_placement_type");
    if (placement != allocation.end() && *placement == "CustomExecutorToHostMapping") {
        throw SchedulerError(
            "answers ExecuteJobEvent with CustomExecutorToHostMapping, which has no counterpart "
            "here");
    }
    refuse_unless_empty(event, "profile_allocation_override");
    refuse_unless_empty(event, "storage_placement");
    return out;
}

KillJobs read_kill(const Message& event, std::string_view of) {
    KillJobs out;
    const Message& jobs = member(event, "job_ids", of);
    if (!jobs.is_array() ||
        !std::ranges::all_of(jobs, [](const Message& job) { return job.is_string(); })) {
        throw SchedulerError(fmt::format(
            "answers {} with job_ids: {}: expected a list of texts", of, shortened(dumped(jobs))));
    }
    out.jobs = jobs.get<std::vector<std::string>>();
    return out;
}

CallMeLater read_call(const Message& event, std::string_view of) {
    CallMeLater out;
    out.id = text_in(event, "call_me_later_id", of);
    const std::string type = text_in(event, "when_type", of);
    const Message& when = member(event, "when", of);
    const auto unit = when.is_object() ? when.find("time_unit") : when.end();
    const double per_second =
        unit != when.end() && when.is_object() && *unit == "Millisecond" ? 1000 : 1;
    if (type == "OneShot") {
        out.at = time_of(number_in(when, "time", of), per_second, of);
        return out;
    }
    if (type != "Periodic") {
        throw SchedulerError(fmt::format(
            "answers {} with when_type '{}': expected OneShot or Periodic", of, shortened(type)));
    }
    out.period = time_of(number_in(when, "period", of), per_second, of);
    const auto offset = when.find("offset");
    const bool has_offset = offset != when.end() && *offset != 0;
    if (*out.period <= SimTime(0) || has_offset) {
        throw SchedulerError(fmt::format(
            "answers {} with {}: expected a period above 0 without an offset, as Batsim does",
            of,
            has_offset ? "an offset" : "a period of 0"));
    }
    if (when.value("mode_type", Message()) == "FinitePeriodNumber") {
        constexpr double most = 4294967295;
        const double times = number_in(member(when, "mode", of), "nb_periods", of);
        if (times < 1 || times > most) {
            throw SchedulerError(
                fmt::format("answers {} with nb_periods: {}: expected 1 to {}", of, times, most));
        }
        out.times = static_cast<std::uint64_t>(times);
    }
    return out;
}

/// Reads one of the decisions that have a counterpart in berth.
BatsimDecision read_decision(const Message& entry, SimTime now) {
    if (!entry.is_object()) {
        throw SchedulerError("answers an event that is no object");
    }
    const std::string type = text_in(entry, "event_type", "an event");
    BatsimDecision out{time_in(entry, "timestamp", type, now), RejectJob{}};
    const Message& event = member(entry, "event", type);
    if (type == "ExecuteJobEvent") {
        out.what = read_execute(event, type);
    } else if (type == "RejectJobEvent") {
        out.what = RejectJob{text_in(event, "job_id", type)};
    } else if (type == "KillJobsEvent") {
        out.what = read_kill(event, type);
    } else if (type == "CallMeLaterEvent") {
        out.what = read_call(event, type);
    } else if (type == "StopCallMeLaterEvent") {
        out.what = StopCallMeLater{text_in(event, "call_me_later_id", type)};
    } else {
        throw SchedulerError(
            fmt::format("answers {}, which has no counterpart here: expected ExecuteJobEvent, "
                        "RejectJobEvent, KillJobsEvent, CallMeLaterEvent or StopCallMeLaterEvent",
                        shortened(type)));
    }
    return out;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> read_hosts(const std::string& text) {
    constexpr std::uint32_t most = 1U << 24;
    std::vector<std::uint32_t> hosts;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto read_number = [&](std::uint32_t& number) {
        const auto [rest, fault] = std::from_chars(at, end, number);
        at = rest;
        return fault == std::errc() && number < most;
    };
    while (at != end) {
        std::uint32_t first = 0;
        if (!read_number(first)) {
            return std::nullopt;
        }
        std::uint32_t last = first;
        if (at != end && *at == '-') {
            ++at;
            if (!read_number(last) || last < first) {
                return std::nullopt;
            }
        }
        if (hosts.size() + last - first >= most) {
            return std::nullopt;
        }
        for (std::uint32_t host = first; host <= last; ++host) {
            hosts.push_back(host);
        }
        if (at != end && (*at++ != ' ' || at == end)) {
            return std::nullopt;
        }
    }
    std::ranges::sort(hosts);
    return hosts;
}

BatsimAnswer read_answer(const std::string& text, SimTime now) {
    const Message message = parsed(text);
    BatsimAnswer out{time_in(message, "now", "a message", now), {}};
    SimTime last = now;
    for (const Message& entry : message["events"]) {
        out.decisions.push_back(read_decision(entry, now));
        const SimTime at = out.decisions.back().at;
        if (at < last) {
            throw SchedulerError(fmt::format("decides for {} s, which is {}",
                                             sim::format_seconds(at),
                                             at < now ? "over" : "before what it decided last"));
        }
        last = at;
    }
    if (out.until < last) {
        throw SchedulerError(fmt::format("answers now: {}, which is {}",
                                         sim::format_seconds(out.until),
                                         out.until < now ? "over" : "before its last decision"));
    }
    return out;
}

void check_hello(const std::string& text) {
    const Message message = parsed(text);
    const Message& events = message["events"];
    if (events.size() != 1 || !events[0].is_object() ||
        events[0].value("event_type", Message()) != "EDCHelloEvent") {
        throw SchedulerError("does not say hello: expected one event, an EDCHelloEvent");
    }
    const Message& hello = member(events[0], "event", "EDCHelloEvent");
    const std::string version = text_in(hello, "batprotocol_version", "EDCHelloEvent");
    if (!version.starts_with("0.1.") && !version.starts_with("1.")) {
        throw SchedulerError(
            fmt::format("speaks batprotocol {}: expected 0.1 or 1", shortened(version)));
    }
    const Message features = hello.value("requested_simulation_features", Message::object());
    for (const char* feature : {"dynamic_registration",
                                "forward_profiles_on_job_submission",
                                "forward_profiles_on_jobs_killed",
                                "forward_profiles_on_simulation_begins"}) {
        if (features.is_object() && features.value(feature, Message()) == true) {
            throw SchedulerError(
                fmt::format("asks for {}, which has no counterpart here", feature));
        }
    }
}

}  // namespace berth::experiments
