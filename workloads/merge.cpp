#include <utility>

#include "workloads/sources.hpp"

namespace berth::workloads {
namespace {

class Merge final : public sim::PodSource {
public:
    explicit Merge(std::vector<std::unique_ptr<sim::PodSource>> sources)
        : sources_(std::move(sources)) {
        for (const auto& source : sources_) {
            heads_.push_back(source->next());
        }
    }
    std::optional<sim::Job> next() override {
        // Few sources: looking at each head is cheaper than keeping them in a heap.
        std::size_t first = heads_.size();
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            if (heads_[i] &&
                (first == heads_.size() || heads_[i]->submit < heads_[first]->submit)) {
                first = i;
            }
        }
        if (first == heads_.size()) {
            return std::nullopt;
        }
        return std::exchange(heads_[first], sources_[first]->next());
    }

private:
    std::vector<std::unique_ptr<sim::PodSource>> sources_;
    std::vector<std::optional<sim::Job>> heads_;
};

}  // namespace

std::unique_ptr<sim::PodSource> merge(std::vector<std::unique_ptr<sim::PodSource>> sources) {
    return std::make_unique<Merge>(std::move(sources));
}

}  // namespace berth::workloads
