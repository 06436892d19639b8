#include "schedulers/kai/requests/kai_queues.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace berth::experiments {
namespace {

namespace kai = core::kai;

kai::Share read_kai_share(const RequestField& field) {
    kai::Share read;
    read.quota = read_kai_number(field["quota"], kai::unlimited);
    read.limit = read_kai_number(field["limit"], kai::unlimited);
    read.weight = read_kai_number(field["weight"], 0);
    read.request = read_kai_number(field["request"], 0);
    read.usage = read_kai_number(field["usage"], 0);
    read.fair = read_kai_number(field["fair"], kai::unlimited);
    read.allocated = read_kai_number(field["allocated"], 0);
    read.allocated_fixed = read_kai_number(field["allocated_np"], 0);
    return read;
}

std::optional<double> read_kai_runtime(const RequestField& field) {
    return field.is_present() ? std::optional(read_kai_number(field, 0)) : std::nullopt;
}

kai::Queue read_kai_queue(const RequestField& field) {
    kai::Queue read;
    read.name = field["name"].text();
    if (read.name.empty()) {
        field["name"].fail("a name");
    }
    read.created = read_kai_number(field["created"], 0);
    read.priority = field["priority"].whole_or(100, INT32_MIN, INT32_MAX);
    read.shares = {read_kai_share(field["cpu"]),
                   read_kai_share(field["memory"]),
                   read_kai_share(field["gpu"])};
    read.reclaim_min_runtime = read_kai_runtime(field["reclaim_min_runtime"]);
    read.preempt_min_runtime = read_kai_runtime(field["preempt_min_runtime"]);
    return read;
}

/// Refuses parents in a circle.
/// Cost: each queue is entered once.
void check_no_circle(const std::vector<kai::Queue>& queues,
                     const std::vector<RequestField>& fields) {
    std::vector<std::size_t> walk_of(queues.size(), queues.size());
    for (std::size_t first = 0; first < queues.size(); ++first) {
        kai::QueueIndex at = static_cast<kai::QueueIndex>(first);
        while (at != kai::no_queue && walk_of[at] == queues.size()) {
            walk_of[at] = first;
            at = queues[at].parent;
        }
        if (at != kai::no_queue && walk_of[at] == first) {
            fields[at]["parent"].fail("a queue that is not below this one");
        }
    }
}

}  // namespace

double read_kai_number(const RequestField& field, double least) {
    constexpr double most = 1e18;
    if (!field.is_present()) {
        return 0;
    }
    const double number = field.number(least);
    if (number < 0 && number != kai::unlimited) {
        field.fail("a number of at least 0, or -1, which means unlimited");
    }
    if (number > most) {
        field.fail("a number of at most 1e18");
    }
    return number;
}

kai::Amounts read_kai_amounts(const RequestField& field) {
    const std::vector<RequestField> parts = field.items();
    if (parts.size() != kai::resource_count) {
        field.fail("milli-CPU, bytes and GPUs");
    }
    return {
        read_kai_number(parts[0], 0), read_kai_number(parts[1], 0), read_kai_number(parts[2], 0)};
}

kai::QueueIndex read_kai_queue_name(const RequestField& field, const kai::Queues& queues) {
    const std::optional<kai::QueueIndex> queue = queues.find(field.text());
    if (!queue) {
        field.fail("one of queues");
    }
    return *queue;
}

kai::Queues read_kai_queues(const RequestField& list) {
    std::vector<RequestField> fields = list.items();
    std::vector<kai::Queue> read;
    std::ranges::transform(fields, std::back_inserter(read), read_kai_queue);
    std::vector<std::size_t> order(read.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) -> const std::string& { return read[i].name; });
    std::vector<kai::Queue> queues;
    std::vector<RequestField> places;
    std::map<std::string, kai::QueueIndex> by_name;
    for (const std::size_t i : order) {
        if (!by_name.emplace(read[i].name, static_cast<kai::QueueIndex>(queues.size())).second) {
            fields[i]["name"].fail("a name that no other queue has");
        }
        queues.push_back(std::move(read[i]));
        places.push_back(fields[i]);
    }
    for (std::size_t i = 0; i < queues.size(); ++i) {
        const RequestField parent = places[i]["parent"];
        const std::string name = parent.text_or("");
        if (name.empty()) {
            continue;
        }
        const auto found = by_name.find(name);
        if (found == by_name.end()) {
            parent.fail("one of queues");
        }
        queues[i].parent = found->second;
    }
    check_no_circle(queues, places);
    return kai::Queues(std::move(queues));
}

Json json_of(const kai::Amounts& amounts) {
    return Json::array({amounts[0], amounts[1], amounts[2]});
}

}  // namespace berth::experiments
