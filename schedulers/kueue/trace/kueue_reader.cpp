#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "schedulers/kueue/trace/held_objects.hpp"
#include "schedulers/kueue/trace/kueue_job.hpp"
#include "schedulers/kueue/trace/object_header.hpp"
#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/placed_json.hpp"
#include "workloads/trace/pod_amounts.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

/// kueue: Workloads, Jobs and Pods that Kueue admits, as `kubectl get -o json` prints them.
namespace berth::workloads {
namespace {

/// Counts what users of a trace of Kueue's objects should know about how it was read.
struct KueueNotes {
    // How many objects of each kind were left out, for each reason.
    std::map<std::string, std::uint64_t> taken;     ///< Another object in the file stands for them.
    std::map<std::string, std::uint64_t> orphans;   ///< The objects that own them are missing.
    std::map<std::string, std::uint64_t> unqueued;  ///< They name no queue.
    /// Objects of a kind that is not read, for which no Workload in the file stands.
    std::map<std::string, std::uint64_t> unresolved;
    std::uint64_t inactive = 0;
    std::uint64_t inactive_that_ran = 0;

    void count(const KueueJob& job);
    /// One line for each note.
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    std::uint64_t ran_before_ = 0;
    std::uint64_t several_sets_ = 0;
    /// How many jobs request each resource that jobs of traces cannot have.
    OtherResources others_;
    FieldCounts objects_say_;
    FieldCounts pods_say_;  ///< Fields of pods that a run does not model.
};

/// The objects of a file one by one, in whatever form they are written.
class TraceObjects {
public:
    virtual ~TraceObjects() = default;
    /// Reads the next object into `row`, which is valid until the next call. Returns false after
    /// the last. Errors: RowError, after which reading can go on; CutShort; InputError for an empty
    /// file.
    [[nodiscard]] virtual bool next(JsonRow& row) = 0;
    /// Line on which the object begins, from 1.
    [[nodiscard]] virtual std::uint64_t line() const = 0;
    [[nodiscard]] virtual std::size_t column() const = 0;
    [[nodiscard]] virtual const std::string& file() const = 0;
};

/// Writes counts such as `2 Jobs and 3 Pods`.
std::string counted(const std::map<std::string, std::uint64_t>& by_kind) {
    std::string out;
    std::size_t left = by_kind.size();
    for (const auto& [kind, count] : by_kind) {
        out += fmt::format("{} {}{}", count, kind, count == 1 ? "" : "s");
        --left;
        out += left > 1 ? ", " : left == 1 ? " and " : "";
    }
    return out;
}

class JsonObjects final : public TraceObjects {
public:
    explicit JsonObjects(TextBlocks text) : elements_(std::move(text)) {}

    bool next(JsonRow& row) override {
        const bool first = std::exchange(first_, false);
        if (!elements_.next()) {
            if (first && elements_.line() == 1 && elements_.column() == 1) {
                throw core::InputError(
                    fmt::format("{}:1:1: error: empty: expected objects, as kubectl get workloads "
                                "-A -o json prints them",
                                elements_.file()));
            }
            return false;
        }
        row.parse(elements_);
        return true;
    }
    [[nodiscard]] std::uint64_t line() const override { return elements_.line(); }
    [[nodiscard]] std::size_t column() const override { return elements_.column(); }
    [[nodiscard]] const std::string& file() const override { return elements_.file(); }

private:
    JsonElements elements_;
    bool first_ = true;
};

class DocumentObjects final : public TraceObjects {
public:
    DocumentObjects(std::shared_ptr<const std::vector<core::Value>> documents, std::string file)
        : documents_(std::move(documents)), file_(std::move(file)) {
        for (const core::Value& document : *documents_) {
            const core::Value* items = document.is_map() ? document.find("items") : nullptr;
            if (items == nullptr || !items->is_list()) {
                objects_.push_back(&document);
                continue;
            }
            for (const core::Value& item : items->items) {
                objects_.push_back(&item);
            }
        }
    }

    bool next(JsonRow& row) override {
        if (at_ == objects_.size()) {
            return false;
        }
        at_is_ = objects_[at_++]->span;
        object_.emplace(*objects_[at_ - 1]);
        row.parse(*object_);
        return true;
    }
    [[nodiscard]] std::uint64_t line() const override {
        return static_cast<std::uint64_t>(at_is_.line);
    }
    [[nodiscard]] std::size_t column() const override {
        return static_cast<std::size_t>(at_is_.column);
    }
    [[nodiscard]] const std::string& file() const override { return file_; }

private:
    std::shared_ptr<const std::vector<core::Value>> documents_;
    std::string file_;
    std::vector<const core::Value*> objects_;
    std::size_t at_ = 0;
    core::SourceSpan at_is_;
    std::optional<PlacedJson> object_;
};

void KueueNotes::count(const KueueJob& job) {
    ran_before_ += job.ran_before && job.job.start ? 1 : 0;
    several_sets_ += job.has_several_sets ? 1 : 0;
    others_.count(job.others);
    objects_say_.count(job.object_says);
    pods_say_.count(job.pods_say, static_cast<std::uint64_t>(job.job.members));
}

std::vector<std::string> KueueNotes::lines() const {
    std::vector<std::string> out;
    const auto say = [&](bool is_so, std::string line) {
        if (is_so) {
            out.push_back(std::move(line));
        }
    };
    say(!taken.empty(),
        fmt::format("not counted twice: {}, since Workloads or Jobs of the file stand for them",
                    counted(taken)));
    say(!orphans.empty(),
        fmt::format("left out: {} that belong to objects that are not in the file: expected "
                    "their Workloads there too",
                    counted(orphans)));
    say(!unresolved.empty(),
        fmt::format("left out: {} that name a queue, and have no Workload in the file: expected "
                    "their Workloads there too",
                    counted(unresolved)));
    say(!unqueued.empty(),
        fmt::format("left out: {} that name no queue ({}): Kueue does not admit them",
                    counted(unqueued),
                    queue_label));
    say(inactive > 0,
        fmt::format("left out: {} Workloads that are not active, which Kueue does not offer; {} of "
                    "them had run",
                    inactive,
                    inactive_that_ran));
    say(several_sets_ > 0,
        fmt::format("{} Workloads have several pod sets whose pods ask for the same: each is one "
                    "group of all its pods",
                    several_sets_));
    say(ran_before_ > 0,
        fmt::format("{} Workloads had run before and were evicted: their run time is that of "
                    "their last run",
                    ran_before_));
    std::ranges::move(others_.notes(), std::back_inserter(out));
    std::ranges::move(objects_say_.lines("job"), std::back_inserter(out));
    std::ranges::move(pods_say_.lines("pod"), std::back_inserter(out));
    return out;
}

/// Objects in JSON: the items of a List, of several Lists, or objects one behind the other.
/// Cost: memory for the largest object.
std::unique_ptr<TraceObjects> objects_of_json(TextBlocks text) {
    return std::make_unique<JsonObjects>(std::move(text));
}

/// Objects in documents, including the items of Lists. The documents are held as a whole.
std::unique_ptr<TraceObjects> objects_of_documents(
    std::shared_ptr<const std::vector<core::Value>> documents, std::string file) {
    return std::make_unique<DocumentObjects>(std::move(documents), std::move(file));
}

/// Workloads become jobs as they are read. The Jobs and Pods that no Workload stands for follow
/// when the whole file is read.
class KueueReader final : public RowReader {
public:
    KueueReader(std::unique_ptr<TraceObjects> objects,
                std::shared_ptr<const bool> beyond_ascii,
                const TraceOptions& options)
        : RowReader(options, std::move(beyond_ascii)),
          lenient_(options.lenient),
          row_(objects->file()),
          objects_(std::move(objects)) {}

private:
    Row read(TraceJob& job) override {
        if (!all_read_ && has_next()) {
            begin_row(objects_->line());
            return read_object(job);
        }
        all_read_ = true;
        if (HeldObject* held = held_.next()) {
            return settle(*held, job);
        }
        if (!noted_) {
            noted_ = true;
            notes_.unresolved = held_.others();
            note(notes_.lines());
        }
        if (cut_) {
            std::rethrow_exception(cut_);
        }
        return Row::end;
    }

    /// Whether an object follows. A lenient reader takes the cut of a file that is cut short for
    /// its end: the objects held so far are still given, and the cut is reported after them.
    bool has_next() {
        try {
            return objects_->next(row_);
        } catch (const CutShort&) {
            if (!lenient_) {
                throw;
            }
            cut_ = std::current_exception();
            return false;
        }
    }

    Row read_object(TraceJob& job) {
        ObjectHeader header = read_object_header(row_);
        if (header.is(kueue_group, "Workload")) {
            return read_workload(header, job);
        }
        if (header.is("batch", "Job") || header.is("", "Pod")) {
            hold(std::move(header));
        } else if (header.is(kueue_group, "WorkloadPriorityClass") ||
                   header.is("scheduling.k8s.io", "PriorityClass")) {
            held_.note_class(row_, header);
        } else if (!header.queue.empty() && is_job_kind(header.kind)) {
            held_.note_other(header);
        }
        return Row::no_job;
    }

    /// Whether objects of this kind are admitted themselves: of Deployments and the like, the pods
    /// are.
    [[nodiscard]] static bool is_job_kind(std::string_view kind) {
        constexpr std::array<std::string_view, 4> by_pods{
            "Deployment", "LeaderWorkerSet", "ReplicaSet", "StatefulSet"};
        return std::ranges::find(by_pods, kind) == by_pods.end();
    }

    Row read_workload(const ObjectHeader& header, TraceJob& job) {
        held_.stands_for_owners(row_, header);
        if (row_.text({"spec", "queueName"}).empty()) {
            ++notes_.unqueued[header.kind];
            return Row::no_job;
        }
        KueueJob found = read_workload_object(row_, header.version);
        found.job.name = header.name;
        found.job.queue = row_.text({"spec", "queueName"});
        found.job.name_space = header.name_space;
        if (row_.text({"spec", "active"}) == "false" && !found.job.finish) {
            ++notes_.inactive;
            notes_.inactive_that_ran += found.job.start || found.ran_before ? 1 : 0;
            return Row::no_job;
        }
        return give(std::move(found), job);
    }

    void hold(ObjectHeader header) {
        const bool is_job = header.kind == "Job";
        if (header.queue.empty()) {
            ++notes_.unqueued[header.kind];
            if (is_job) {
                held_.note_job(header);
            }
        } else if (is_job) {
            held_.hold_job(row_, std::move(header), objects_->line(), objects_->column());
        } else {
            held_.hold_pod(row_, std::move(header), objects_->line(), objects_->column());
        }
    }

    Row settle(HeldObject& held, TraceJob& job) {
        begin_row(held.line);
        const HeldObjects::Fate fate = held_.fate_of(held);
        const auto objects = static_cast<std::uint64_t>(held.uids.size());
        if (fate == HeldObjects::Fate::taken) {
            notes_.taken[held.header.kind] += objects;
            return Row::no_job;
        }
        if (fate == HeldObjects::Fate::orphan) {
            notes_.orphans[held.header.kind] += objects;
            return Row::no_job;
        }
        held_.finish(held, objects_->file());
        return give(std::move(held.found), job);
    }

    Row give(KueueJob found, TraceJob& job) {
        notes_.count(found);
        job = std::move(found.job);
        clock_.set_to_zero(job);
        return Row::job;
    }

    bool lenient_;
    JsonRow row_;
    std::unique_ptr<TraceObjects> objects_;
    HeldObjects held_;
    KueueNotes notes_;
    TraceClock clock_;
    bool all_read_ = false;
    bool noted_ = false;
    std::exception_ptr cut_;  ///< The error for a file that is cut short.
};

std::unique_ptr<TraceReader> make_reader(std::unique_ptr<std::istream> text,
                                         const std::string& file,
                                         const TraceOptions& options) {
    TextBlocks blocks(std::move(text), file);
    auto beyond_ascii = blocks.beyond_ascii();
    return std::make_unique<KueueReader>(
        objects_of_json(std::move(blocks)), std::move(beyond_ascii), options);
}

std::unique_ptr<TraceReader> make_of_documents(
    std::shared_ptr<const std::vector<core::Value>> documents,
    const std::string& file,
    const TraceOptions& options) {
    return std::make_unique<KueueReader>(
        objects_of_documents(std::move(documents), file), nullptr, options);
}

/// Recognises objects that Kueue admits: Workloads, and Jobs and Pods that name a queue. Documents
/// of berth may contain Kueue's objects too, but no jobs.
std::string_view recognises(std::string_view text, std::string_view quote) {
    const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
    const auto has_kind = [&](std::string_view kind) {
        if (!quote.empty()) {
            return has(fmt::format("{0}kind{0}: {0}{1}{0}", quote, kind)) ||
                   has(fmt::format("{0}kind{0}:{0}{1}{0}", quote, kind));
        }
        // Without quotes, WorkloadPriorityClass begins like Workload.
        return std::ranges::any_of(std::string_view("\r\n,}"), [&](char end) {
            return has(fmt::format("kind: {}{}", kind, end));
        });
    };
    if (has("berth/v1")) {
        return "";
    }
    if (has("kueue.x-k8s.io/v1") && has_kind("Workload")) {
        return "it has Workloads of kueue.x-k8s.io";
    }
    if (has("kueue.x-k8s.io/queue-name") && (has_kind("Job") || has_kind("Pod"))) {
        return "it has Jobs or Pods with the label kueue.x-k8s.io/queue-name";
    }
    if (has("kueue.x-k8s.io/v1") && has_kind("List")) {  // jobs may follow the queues
        return "it is a List with objects of kueue.x-k8s.io";
    }
    return "";
}

}  // namespace

extern constinit const TraceFormat kueue_trace_format;
constinit const TraceFormat kueue_trace_format{
    .name = "kueue",
    .summary =
        "Workloads, Jobs and Pods that Kueue admits, as kubectl get -o json or -o yaml prints them",
    .marks = "",
    .make = &make_reader,
    .objects = true,
    .make_of_documents = &make_of_documents,
    .recognises = &recognises};

}  // namespace berth::workloads
