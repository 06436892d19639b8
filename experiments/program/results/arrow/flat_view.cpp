#include "experiments/program/results/arrow/flat_view.hpp"

#include <stdexcept>

namespace berth::report {

FlatView::FlatView(std::string_view buffer)
    : buffer_(buffer), at_(target(0)), vtable_(vtable_of(at_)) {}

FlatView::FlatView(std::string_view buffer, std::size_t at)
    : buffer_(buffer), at_(at), vtable_(vtable_of(at)) {}

std::string_view FlatView::bytes(std::size_t at, std::size_t size) const {
    if (at > buffer_.size() || size > buffer_.size() - at) {
        throw std::runtime_error("an offset in its metadata leads out of them");
    }
    return buffer_.substr(at, size);
}

std::optional<std::size_t> FlatView::place(std::size_t field) const {
    const std::size_t entry = 2 * (2 + field);
    if (entry + 2 > read<std::uint16_t>(vtable_)) {
        return std::nullopt;
    }
    const auto offset = read<std::uint16_t>(vtable_ + entry);
    return offset == 0 ? std::nullopt : std::optional(at_ + offset);
}

std::string_view FlatView::text(std::size_t field) const {
    const std::optional<std::size_t> at = place(field);
    return at ? bytes(target(*at) + 4, read<std::uint32_t>(target(*at))) : std::string_view();
}

std::optional<FlatView> FlatView::table(std::size_t field) const {
    const std::optional<std::size_t> at = place(field);
    return at ? std::optional(FlatView(buffer_, target(*at))) : std::nullopt;
}

std::vector<FlatView> FlatView::tables(std::size_t field) const {
    std::vector<FlatView> out;
    if (const std::optional<std::size_t> at = place(field)) {
        const std::size_t vector = target(*at);
        const auto count = read<std::uint32_t>(vector);
        for (std::size_t i = 0; i < count; ++i) {
            out.push_back(FlatView(buffer_, target(vector + 4 * (i + 1))));
        }
    }
    return out;
}

std::string_view FlatView::structs(std::size_t field, std::size_t size) const {
    const std::optional<std::size_t> at = place(field);
    return at ? bytes(target(*at) + 4, size * read<std::uint32_t>(target(*at)))
              : std::string_view();
}

}  // namespace berth::report
