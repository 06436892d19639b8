#include <set>
#include <utility>

#include "workloads/sources.hpp"

namespace berth::workloads {
namespace {

class Merge final : public sim::PodSource {
public:
    explicit Merge(std::vector<std::unique_ptr<sim::PodSource>> sources)
        : sources_(std::move(sources)), heads_(sources_.size()) {
        for (std::size_t source = 0; source < sources_.size(); ++source) {
            advance(source);
        }
    }
    std::optional<sim::Job> next() override {
        if (order_.empty()) {
            return std::nullopt;
        }
        const std::size_t source = order_.extract(order_.begin()).value().second;
        std::optional<sim::Job> job = std::move(heads_[source]);
        advance(source);
        return job;
    }

private:
    void advance(std::size_t source) {
        heads_[source] = sources_[source]->next();
        if (heads_[source]) {
            order_.emplace(heads_[source]->submit, source);
        }
    }
    std::vector<std::unique_ptr<sim::PodSource>> sources_;
    std::vector<std::optional<sim::Job>> heads_;
    std::set<std::pair<sim::SimTime, std::size_t>> order_;  ///< The heads by submit time, then by
                                                            ///< source.
};

}  // namespace

std::unique_ptr<sim::PodSource> merge(std::vector<std::unique_ptr<sim::PodSource>> sources) {
    // A single source needs no merging, and most workloads have only one.
    return sources.size() == 1 ? std::move(sources.front())
                               : std::make_unique<Merge>(std::move(sources));
}

}  // namespace berth::workloads
