#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <string>

namespace berth::python {

/// Keeps Python code from creating objects of a class, which would be empty. Runs create them in
/// another way.
void refuse_making(const pybind11::handle& bound);
/// Does the same for the base of all classes here, and for classes that Python code derives from it
/// alone: pybind11 would end the process.
void refuse_making_of_base();

/// A class whose objects users of the package see, and only runs make. Its functions take any
/// arguments and check them: the messages of pybind11 would show how they are written in C++.
template <class Shown>
class PublicClass {
public:
    PublicClass(pybind11::module_& module, const char* name, const char* doc)
        : name_(std::string("berth.") + name), class_(module, name, doc) {
        refuse_making(class_);
    }

    /// An attribute: what `get` returns for the object.
    template <class Get>
    PublicClass& value(const char* name, Get get) {
        class_.def_property_readonly(name, function_of_self(name, get));
        return *this;
    }
    PublicClass& repr(std::string (*get)(const Shown& shown)) {
        class_.attr("__repr__") = function_of_self("__repr__", get);
        return *this;
    }
    /// A method with arguments of these names.
    template <class Act, class... Words>
    PublicClass& verb(const char* name, Act act, const Words&... words) {
        std::string takes;
        ((takes += (takes.empty() ? "" : ", ") + std::string(words)), ...);
        const std::string doc = fmt::format("{}(self, {})", name, takes);
        class_.def(name, act, pybind11::arg(words)..., doc.c_str());
        class_.def(name,
                   [told = fmt::format("{0}(): other arguments: expected {0}({1})", name, takes)](
                       const pybind11::args& /*given*/, const pybind11::kwargs& /*named*/) {
                       throw pybind11::type_error(told);
                   });
        return *this;
    }

private:
    template <class Get>
    [[nodiscard]] pybind11::cpp_function function_of_self(const char* name, Get get) const {
        return {
            [told = fmt::format("{0}.{1}: other arguments: expected a {0}", name_, name), get](
                const pybind11::args& given, const pybind11::kwargs& named) {
                if (given.size() != 1 || !named.empty() || !pybind11::isinstance<Shown>(given[0])) {
                    throw pybind11::type_error(told);
                }
                return std::invoke(get, given[0].template cast<Shown&>());
            },
            pybind11::is_method(class_)};
    }

    std::string name_;
    pybind11::class_<Shown, std::shared_ptr<Shown>> class_;
};

}  // namespace berth::python
