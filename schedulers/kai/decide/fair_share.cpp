#include "schedulers/kai/decide/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace berth::core::kai {
namespace {

/// The division of one resource among siblings.
class Division {
public:
    Division(Queues& queues, const std::vector<QueueIndex>& siblings, std::size_t resource)
        : queues_(queues), resource_(resource), parts_(siblings.size()) {
        for (std::size_t i = 0; i < siblings.size(); ++i) {
            parts_[i].queue = siblings[i];
        }
    }

    void divide(double total, double k) {
        left_ = total;
        give_quotas(total);
        if (left_ <= 0) {
            return;
        }
        std::set<std::int64_t, std::greater<>> priorities;
        for (const Part& part : parts_) {
            priorities.insert(queues_[part.queue].priority);
        }
        for (const std::int64_t priority : priorities) {
            while (give_by_weight(priority, k)) {
            }
        }
        for (const std::int64_t priority : priorities) {
            give_rounded_off(priority);
        }
    }

private:
    struct Part {
        QueueIndex queue = 0;
        double weight = 0;       ///< In this round, with usage.
        double rounded_off = 0;  ///< What of a unit it deserved and did not get; 0 if nothing.
    };

    Share& share(const Part& part) { return queues_[part.queue].shares[resource_]; }
    bool has(const Part& part, std::int64_t priority) {
        return queues_[part.queue].priority == priority;
    }

    void give_quotas(double total) {
        for (const Part& part : parts_) {
            Share& own = share(part);
            const double given =
                std::min(own.quota == unlimited ? total : own.quota, own.requestable());
            own.fair += given;
            left_ -= given;
        }
    }

    /// Sets the weights of this round, and returns their sum.
    double weigh(std::int64_t priority, double k) {
        double total = 0;
        for (const Part& part : parts_) {
            if (has(part, priority) && share(part).remaining() > 0) {
                total += share(part).weight;
            }
        }
        double sum = 0;
        for (Part& part : parts_) {
            if (total != 0 && has(part, priority) && !share(part).is_satisfied()) {
                const double normal = share(part).weight / total;
                part.weight = std::max(0.0, normal + k * (normal - share(part).usage));
                sum += part.weight;
            }
        }
        return sum;
    }

    /// One round; says whether another one may give more.
    bool give_by_weight(std::int64_t priority, double k) {
        const double amount = left_;
        const double sum = weigh(priority, k);
        if (sum == 0) {
            return false;
        }
        bool again = false;
        for (Part& part : parts_) {
            if (left_ == 0) {
                break;
            }
            Share& own = share(part);
            if (!has(part, priority) || own.is_satisfied() || own.weight == 0) {
                continue;
            }
            const double wanted = own.remaining();
            const double deserved = amount * (part.weight / sum);
            const double given = wanted <= deserved ? wanted : std::floor(deserved);
            if (wanted <= deserved) {
                part.rounded_off = 0;
            } else if (deserved - given > 0) {
                // A whole number leaves what an earlier round has rounded off.
                part.rounded_off = deserved - given;
            }
            if (given == 0) {
                continue;
            }
            own.fair += given;
            left_ -= given;
            again = again || wanted < deserved;
        }
        return again && left_ != 0;
    }

    void give_rounded_off(std::int64_t priority) {
        std::vector<const Part*> order;
        for (const Part& part : parts_) {
            if (has(part, priority) && part.rounded_off > 0) {
                order.push_back(&part);
            }
        }
        std::ranges::stable_sort(order, [&](const Part* a, const Part* b) {
            return a->rounded_off != b->rounded_off
                       ? a->rounded_off > b->rounded_off
                       : queues_[a->queue].created < queues_[b->queue].created;
        });
        for (const Part* part : order) {
            if (left_ <= 0) {
                return;
            }
            const double given = std::min(1.0, left_);
            share(*part).fair += given;
            left_ -= given;
        }
    }

    Queues& queues_;
    std::size_t resource_;
    std::vector<Part> parts_;
    double left_ = 0;
};

}  // namespace

void set_fair_shares(Queues& queues, const Amounts& total, double k) {
    const auto divide = [&](const std::vector<QueueIndex>& siblings, const Amounts& amounts) {
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            Division(queues, siblings, resource).divide(amounts[resource], k);
        }
    };
    divide(queues.roots(), total);
    std::vector<QueueIndex> waiting = queues.roots();
    while (!waiting.empty()) {
        const QueueIndex queue = waiting.back();
        waiting.pop_back();
        const std::vector<QueueIndex>& children = queues[queue].children;
        divide(children, queues[queue].amounts(&Share::fair));
        waiting.insert(waiting.end(), children.begin(), children.end());
    }
}

}  // namespace berth::core::kai
