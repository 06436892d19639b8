// Functions of fmt for programs that are linked statically: Debian has no static library of it. The
// header has them all; of the templates, these are called and made nowhere else.
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
