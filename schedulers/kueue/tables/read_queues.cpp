#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/parse_number.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "schedulers/kueue/tables/queues.hpp"

namespace berth::report {
namespace {

namespace fs = std::filesystem;

QueueKind kind_of(const CsvReader& csv, std::size_t column) {
    constexpr std::array words{std::pair{"Cohort", QueueKind::cohort},
                               std::pair{"ClusterQueue", QueueKind::cluster_queue},
                               std::pair{"LocalQueue", QueueKind::local_queue}};
    for (const auto& [word, kind] : words) {
        if (csv.field(column) == word) {
            return kind;
        }
    }
    csv.fail(column,
             fmt::format("'{}': expected Cohort, ClusterQueue or LocalQueue", csv.field(column)));
}

/// Reads the objects. The rows of an object are consecutive.
std::vector<QueueObject> read_objects(const fs::path& path) {
    CsvReader csv(path);
    const std::size_t time = csv.column("time_s");
    const std::size_t kind = csv.column("kind");
    const std::size_t name = csv.column("name");
    const std::size_t parent = csv.column("parent");
    const std::size_t stop = csv.column("stop_policy");
    const std::size_t weight = csv.column("weight");
    const std::size_t flavor = csv.column("flavor");
    const std::size_t resource = csv.column("resource");
    const std::size_t nominal = csv.column("nominal");
    const std::size_t borrowing = csv.column("borrowing_limit");
    const std::size_t lending = csv.column("lending_limit");
    std::vector<QueueObject> objects;
    while (csv.next()) {
        QueueObject object{.time_s = csv.required_number(time),
                           .kind = kind_of(csv, kind),
                           .name = csv.field(name),
                           .parent = csv.field(parent),
                           .stop_policy = csv.field(stop),
                           .weight = csv.number(weight),
                           .limits = {}};
        if (object.name.empty()) {
            csv.fail(name, "an object without a name: expected one");
        }
        if (object.time_s < 0 || (!objects.empty() && object.time_s < objects.back().time_s)) {
            csv.fail(time, "the time goes back: expected rows in ascending time_s from 0 on");
        }
        const bool goes_on = !objects.empty() && objects.back().time_s == object.time_s &&
                             objects.back().kind == object.kind &&
                             objects.back().name == object.name;
        if (!goes_on) {
            objects.push_back(std::move(object));
        }
        if (!csv.field(resource).empty()) {
            for (const std::size_t column : {nominal, borrowing, lending}) {
                if (csv.number(column).value_or(0) < 0) {
                    csv.fail(column, "an amount below 0: expected 0 or more");
                }
            }
            objects.back().limits.push_back({csv.field(flavor),
                                             csv.field(resource),
                                             csv.required_number(nominal),
                                             csv.number(borrowing),
                                             csv.number(lending)});
        }
    }
    return objects;
}

/// Reads amounts such as `FLAVOR:RESOURCE=AMOUNT`, separated by spaces. The name of a flavor has no
/// colon.
std::vector<QueueStay::Held> read_amounts(const CsvReader& csv, std::size_t column) {
    std::vector<QueueStay::Held> amounts;
    std::string_view text = csv.field(column);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = part.find(':');
        const std::size_t equals = part.rfind('=');
        const bool has_both =
            colon != std::string_view::npos && equals != std::string_view::npos && colon < equals;
        const auto amount =
            has_both ? core::parse_number<double>(part.substr(equals + 1)) : std::nullopt;
        if (!amount || *amount < 0) {
            csv.fail(column, fmt::format("'{}': expected FLAVOR:RESOURCE=NUMBER", part));
        }
        amounts.push_back({std::string(part.substr(0, colon)),
                           std::string(part.substr(colon + 1, equals - colon - 1)),
                           *amount});
    }
    return amounts;
}

/// Adds a row to the counts of its queues.
void count(const QueueStay& stay, QueueTally& tally) {
    const auto each = [&](auto add) {
        add(tally.all);
        add(tally.by_cluster_queue[stay.cluster_queue]);
        if (!stay.local_queue.empty()) {
            add(tally.by_local_queue[stay.local_queue]);
        }
    };
    each([&](QueueCounts& counts) {
        counts.admitted += stay.admitted_s && stay.waits() ? 1 : 0;
        counts.preempted += stay.is_preempted() ? 1 : 0;
        counts.not_ready += stay.end == "not-ready" ? 1 : 0;
        counts.waiting += !stay.admitted_s && !stay.until_s ? 1 : 0;
    });
    if (stay.is_preempted()) {
        ++tally.preempted[{stay.preemptor_queue, stay.cluster_queue, stay.reason}];
    }
    if (!stay.admitted_s) {
        ++tally.in_vain[{stay.cluster_queue, stay.reason}];
    }
}

/// Reads admissions.csv row by row.
class StaysReader {
public:
    StaysReader(const fs::path& path, const std::vector<QueueObject>& objects) : csv_(path) {
        for (const QueueObject& object : objects) {
            if (object.kind == QueueKind::cluster_queue) {
                queues_.insert(object.name);
            }
        }
    }

    /// Counts all rows, and returns those of replication 0.
    std::vector<QueueStay> read(QueueTally& tally) {
        std::vector<QueueStay> stays;
        std::set<std::string> replications;
        while (csv_.next()) {
            replications.insert(csv_.field(replication_));
            QueueStay stay = row();
            count(stay, tally);
            if (csv_.required_number(replication_) == 0) {
                stays.push_back(std::move(stay));
            }
        }
        tally.replications = replications.size();
        return stays;
    }

private:
    QueueStay row() {
        QueueStay stay{.job = csv_.field(job_),
                       .cluster_queue = csv_.field(cluster_queue_),
                       .local_queue = csv_.field(local_queue_),
                       .queued_s = csv_.required_number(queued_),
                       .admitted_s = csv_.number(admitted_),
                       .from_s = csv_.number(from_),
                       .told_s = csv_.number(told_),
                       .until_s = csv_.number(until_),
                       .end = csv_.field(end_),
                       .amounts = read_amounts(csv_, amounts_),
                       .preemptor = csv_.field(preemptor_),
                       .preemptor_queue = csv_.field(preemptor_queue_),
                       .reason = csv_.field(reason_)};
        for (const std::size_t column : {cluster_queue_, preemptor_queue_}) {
            const bool may_be_empty = column == preemptor_queue_ && !stay.is_preempted();
            if (!may_be_empty && !queues_.contains(csv_.field(column))) {
                csv_.fail(column,
                          fmt::format("'{}': expected a ClusterQueue of cluster_queues.csv",
                                      csv_.field(column)));
            }
        }
        if (stay.admitted_s && !stay.from_s) {
            csv_.fail(
                from_,
                "an admitted job has no from_s: expected the time since which it held its quota");
        }
        check_order(stay);
        return stay;
    }

    void check_order(const QueueStay& stay) const {
        double before = stay.queued_s;
        for (const auto& [column, time] : {std::pair{admitted_, stay.admitted_s},
                                           std::pair{from_, stay.from_s},
                                           std::pair{until_, stay.until_s}}) {
            if (time && *time < before) {
                csv_.fail(column,
                          "the time goes back: expected queued_s, admitted_s, from_s and until_s "
                          "in this order");
            }
            before = time.value_or(before);
        }
    }

    CsvReader csv_;
    std::set<std::string, std::less<>> queues_;
    std::size_t replication_ = csv_.column("replication");
    std::size_t job_ = csv_.column("job");
    std::size_t cluster_queue_ = csv_.column("cluster_queue");
    std::size_t local_queue_ = csv_.column("local_queue");
    std::size_t queued_ = csv_.column("queued_s");
    std::size_t admitted_ = csv_.column("admitted_s");
    std::size_t from_ = csv_.column("from_s");
    std::size_t told_ = csv_.column("told_s");
    std::size_t until_ = csv_.column("until_s");
    std::size_t end_ = csv_.column("end");
    std::size_t amounts_ = csv_.column("amounts");
    std::size_t preemptor_ = csv_.column("preemptor");
    std::size_t preemptor_queue_ = csv_.column("preemptor_queue");
    std::size_t reason_ = csv_.column("reason");
};

}  // namespace

std::map<std::string, std::int64_t> QueueTally::preempted_by_reason() const {
    std::map<std::string, std::int64_t> counts;
    for (const auto& [key, count] : preempted) {
        counts[std::get<2>(key)] += count;
    }
    return counts;
}

std::optional<Queues> read_queues(const fs::path& directory, std::optional<double> end_s) {
    const fs::path objects_file = directory / "cluster_queues.csv";
    const fs::path stays_file = directory / "admissions.csv";
    if (!has_table(objects_file) || !has_table(stays_file)) {
        return std::nullopt;
    }
    const std::vector<QueueObject> objects = read_objects(objects_file);
    QueueTally tally;
    const std::vector<QueueStay> stays = StaysReader(stays_file, objects).read(tally);
    Queues queues = replay_queues(objects, stays, end_s);
    queues.tally = std::move(tally);
    return queues;
}

}  // namespace berth::report
