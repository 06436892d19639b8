#include "schedulers/kai/requests/kai.hpp"

#include <algorithm>
#include <array>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kai/decide/fair_share.hpp"
#include "schedulers/kai/decide/reclaim_rules.hpp"
#include "schedulers/kai/requests/kai_queues.hpp"

namespace berth::experiments {
namespace {

namespace kai = core::kai;

Json answer_kai_shares(const RequestValue& json) {
    const RequestField request(json);
    kai::Queues queues = read_kai_queues(request["queues"]);
    for (kai::QueueIndex queue = 0; queue < queues.size(); ++queue) {
        for (kai::Share& share : queues[queue].shares) {
            share.fair = 0;
        }
    }
    const RequestField total = request["total"];
    const RequestField k = request["k"];
    kai::set_fair_shares(queues,
                         {read_kai_number(total["cpu"], 0),
                          read_kai_number(total["memory"], 0),
                          read_kai_number(total["gpu"], 0)},
                         k.is_present() ? read_kai_number(k, 0) : 1);
    NamedValues fair(queues.size());
    for (kai::QueueIndex queue = 0; queue < queues.size(); ++queue) {
        fair.add(queues[queue].name, json_of(queues[queue].amounts(&kai::Share::fair)));
    }
    Json answer = Json::object();
    answer["fair"] = fair.take();
    return answer;
}

std::vector<kai::Losses> read_losses(const RequestField& victims, const kai::Queues& queues) {
    std::vector<kai::Losses> read;
    for (const auto& [name, entries] : victims.entries()) {
        const std::optional<kai::QueueIndex> queue = queues.find(name);
        if (!queue) {
            entries.fail("entries of one of queues");
        }
        kai::Losses& losses = read.emplace_back();
        losses.queue = *queue;
        for (const RequestField& entry : entries.items()) {
            losses.entries.push_back(read_kai_amounts(entry));
        }
    }
    std::ranges::stable_sort(read, {}, &kai::Losses::queue);
    return read;
}

Json answer_kai_rules(const RequestValue& json) {
    const RequestField request(json);
    const kai::Queues queues = read_kai_queues(request["queues"]);
    const kai::Reclaimer reclaimer{read_kai_queue_name(request["reclaimer"], queues),
                                   read_kai_amounts(request["requested"]),
                                   request["preemptible"].boolean_or(true)};
    const std::vector<kai::Losses> losses = read_losses(request["victims"], queues);
    const RequestField multiplier = request["multiplier"];
    NamedValues filter(losses.size());
    for (const kai::Losses& one : losses) {
        filter.add(queues[one.queue].name, kai::may_lose(queues, reclaimer, one.queue));
    }
    Json answer = Json::object();
    answer["can_reclaim"] = kai::may_reclaim(queues, reclaimer);
    answer["filter"] = filter.take();
    answer["reclaimable"] = kai::is_fair_reclaim(
        queues, reclaimer, losses, multiplier.is_present() ? read_kai_number(multiplier, 1) : 1);
    return answer;
}

Json kai_answer(const RequestValue& request) {
    constexpr std::array answers{&answer_kai_shares, &answer_kai_rules, &answer_kai_cycle};
    const RequestField kind = RequestField(request)["kind"];
    return answers[kind.choice({"shares", "rules", "cycle"})](request);
}

}  // namespace

std::string answer_kai_request(std::string_view request) {
    return answer_line(request, &kai_answer);
}

}  // namespace berth::experiments
