// Functions of fmt for programs that are linked statically, since Debian has no static library of
// fmt. The header has them all. Of its templates, these are used but instantiated nowhere else.
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
