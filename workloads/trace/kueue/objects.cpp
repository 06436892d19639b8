#include "workloads/trace/kueue/objects.hpp"

#include <fmt/format.h>

#include <utility>

namespace berth::workloads {
namespace {

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
        if (elements_.too_long()) {
            JsonRow::fail_long(
                elements_.file(), line(), elements_.column(), elements_.element_bytes_max());
        }
        row.parse(elements_.text(), elements_.line(), elements_.column());
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

}  // namespace

std::unique_ptr<TraceObjects> objects_of_json(TextBlocks text) {
    return std::make_unique<JsonObjects>(std::move(text));
}

std::unique_ptr<TraceObjects> objects_of_documents(
    std::shared_ptr<const std::vector<core::Value>> documents, std::string file) {
    return std::make_unique<DocumentObjects>(std::move(documents), std::move(file));
}

}  // namespace berth::workloads
