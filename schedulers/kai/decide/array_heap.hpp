#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace berth::core::kai {

/// A binary heap in an array, with the steps of Go's container/heap: where keys change without a
/// fix, or where elements are less than each other both ways, what comes out depends on them.
template <class Element>
class ArrayHeap {
public:
    [[nodiscard]] bool empty() const { return elements_.empty(); }
    [[nodiscard]] const Element& top() const { return elements_.front(); }

    template <class Less>
    void push(Element element, Less less) {
        elements_.push_back(std::move(element));
        sift_up(elements_.size() - 1, less);
    }

    template <class Less>
    Element pop(Less less) {
        const std::size_t last = elements_.size() - 1;
        std::swap(elements_.front(), elements_[last]);
        sift_down(last, less);
        Element popped = std::move(elements_.back());
        elements_.pop_back();
        return popped;
    }

    /// Puts the top where it belongs.
    template <class Less>
    void fix_top(Less less) {
        sift_down(elements_.size(), less);
    }

private:
    template <class Less>
    void sift_up(std::size_t at, Less less) {
        while (at > 0 && less(elements_[at], elements_[(at - 1) / 2])) {
            std::swap(elements_[at], elements_[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
    }

    /// Among the first `count` elements.
    template <class Less>
    void sift_down(std::size_t count, Less less) {
        std::size_t at = 0;
        for (std::size_t child = 1; child < count; child = 2 * at + 1) {
            if (child + 1 < count && less(elements_[child + 1], elements_[child])) {
                ++child;
            }
            if (!less(elements_[child], elements_[at])) {
                return;
            }
            std::swap(elements_[at], elements_[child]);
            at = child;
        }
    }

    std::vector<Element> elements_;
};

}  // namespace berth::core::kai
