#pragma once

#include <mpfr.h>

#include <limits>

namespace berth::core {

/// A number of GNU MPFR with a given number of bits.
class MpfrNumber {
public:
    explicit MpfrNumber(mpfr_prec_t bits) {
        use_reserve();
        forget_when_thread_ends();
        mpfr_init2(value_, bits);
    }
    explicit MpfrNumber(double value)
        : MpfrNumber(mpfr_prec_t{std::numeric_limits<double>::digits}) {
        mpfr_set_d(value_, value, MPFR_RNDN);
    }
    ~MpfrNumber() { mpfr_clear(value_); }
    MpfrNumber(const MpfrNumber&) = delete;
    MpfrNumber& operator=(const MpfrNumber&) = delete;

    [[nodiscard]] mpfr_ptr get() { return value_; }
    [[nodiscard]] mpfr_srcptr get() const { return value_; }

private:
    /// Tells MPFR what to do when memory runs out.
    static void use_reserve();
    /// MPFR remembers numbers such as pi for each thread; a thread that ends must give them back.
    static void forget_when_thread_ends();

    mpfr_t value_{};
};

}  // namespace berth::core
