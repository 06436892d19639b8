#include "experiments/program/results/arrow/arrow_text.hpp"

#include <cstddef>
#include <streambuf>
#include <string>

#include "experiments/program/results/arrow/arrow_file.hpp"
#include "experiments/program/results/tables/table_text.hpp"

namespace berth::report {

class ArrowText::Buffer : public std::streambuf {
public:
    explicit Buffer(const std::filesystem::path& path)
        : file_(path), text_(text_of_header(file_.table().heads)) {
        show();
    }

protected:
    int_type underflow() override {
        while (gptr() == egptr() && next_ < file_.batches()) {
            text_ = text_of_rows(file_.table(), file_.read(next_++));
            show();
        }
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }

private:
    void show() { setg(text_.data(), text_.data(), text_.data() + text_.size()); }

    ArrowFile file_;
    std::string text_;
    std::size_t next_ = 0;  ///< The index of the batch to show next.
};

ArrowText::ArrowText(const std::filesystem::path& path)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(path)) {
    rdbuf(buffer_.get());
    exceptions(std::ios::badbit);
}

ArrowText::~ArrowText() = default;

}  // namespace berth::report
